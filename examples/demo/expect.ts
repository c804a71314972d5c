/** Something that mustn't happen in this demo. */
export class Unexpected extends Error {}

/** @param problem what is wrong where the condition doesn't hold, in words for who watches */
export function expect(condition: unknown, problem: string): asserts condition {
  if (!condition) throw new Unexpected(problem);
}
