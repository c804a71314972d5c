export interface Signature {
  name: string;
  email: string;
  /** Seconds since the epoch. */
  seconds: number;
}

export interface CommitData {
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
}

/** The tree with nothing in it: git knows it without its being stored. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The bytes of a commit; equal data are equal bytes, so equal shas. */
export function encodeCommit({ tree, parents, author, committer, message }: CommitData): string {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${encodeSignature(author)}`,
    `committer ${encodeSignature(committer)}`,
  ];
  return `${lines.join('\n')}\n\n${message}`;
}

export function decodeCommit(content: string): CommitData {
  const end = content.indexOf('\n\n');
  const lines = content.slice(0, end).split('\n');
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    author: decodeSignature(values('author')[0]),
    committer: decodeSignature(values('committer')[0]),
    message: content.slice(end + 2),
  };
}

function encodeSignature({ name, email, seconds }: Signature): string {
  return `${clean(name)} <${clean(email)}> ${seconds} +0000`;
}

function decodeSignature(line = ''): Signature {
  const [, name = '', email = '', seconds = '0'] = /^(.*?) ?<(.*)> (\d+)/.exec(line) ?? [];
  return { name, email, seconds: Number(seconds) };
}

/** What would end a name or an address within a commit can't be part of it. */
function clean(text: string): string {
  return text.replace(/[<>\n\0]/g, '').trim();
}
