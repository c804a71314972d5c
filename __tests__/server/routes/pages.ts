import type { Call } from './route.js';

const DEFAULT_SIZE = 30;
const LARGEST_SIZE = 100;

/** The part of a list that a request asks for, and the `link` header to the other parts. */
export function pageOf<T>({ url, query }: Call, all: T[]): { items: T[]; headers: Record<string, string> } {
  const size = Math.min(countOf(query, 'per_page') ?? DEFAULT_SIZE, LARGEST_SIZE);
  const page = countOf(query, 'page') ?? 1;
  const last = Math.max(Math.ceil(all.length / size), 1);
  const links = [
    ...(page > 1 ? [link(1, 'first'), link(page - 1, 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
  ];
  return {
    items: all.slice((page - 1) * size, page * size),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  };

  function link(target: number, relation: string): string {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(target));
    return `<${url}?${parameters}>; rel="${relation}"`;
  }
}

/** A positive number of the query; anything else is as if it weren't there. */
function countOf(query: URLSearchParams, name: string): number | undefined {
  const count = Number(query.get(name));
  return Number.isInteger(count) && count > 0 ? count : undefined;
}
