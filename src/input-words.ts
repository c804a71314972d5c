import ms from 'ms';
import { z } from 'zod';
import { agentName, agentProblem, freeKeyProblem, isSha, parseClaimId, parseItem } from './engine/key.js';

/** How each kind of input is spelled, and what is said of one that isn't. */

/** The longest duration that is read at all; the engine has its own limits. */
const LONGEST = 365 * 24 * 3_600_000;

export const words = <const T extends [string, ...string[]]>(...options: T) =>
  z.enum(options, { error: ({ input }) => `"${shown(input)}" is none of ${options.join(', ')}` });

export const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,8}[smhd]$/, {
    error: ({ input }) => `"${shown(input)}" is no duration like 90s, 10m or 2h`,
  })
  .transform((text) => ms(text as ms.StringValue))
  .refine((value) => value <= LONGEST, { error: 'is longer than a year' });

export const repository = z
  .string()
  .regex(/^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/, { error: ({ input }) => `"${shown(input)}" is no owner/name` })
  .transform((text) => {
    const [owner = '', repo = ''] = text.split('/');
    return { owner, repo };
  });

export const item = z.string().transform((text, context) => {
  const parsed = parseItem(text);
  if (!parsed)
    context.addIssue(
      `"${shown(text)}" is no number of an issue or a pull request: 12, #12, pr-12 or issue-12`,
    );
  return parsed ?? z.NEVER;
});

export const key = z.string().transform((text, context) => {
  const problem = freeKeyProblem(text);
  if (problem) context.addIssue(`"${shown(text)}" ${problem}`);
  return text;
});

export const agent = z.string().transform((text, context) => {
  const name = agentName(text);
  const problem = agentProblem(name);
  if (problem) context.addIssue(`"${shown(text)}" ${problem}`);
  return name;
});

export const parts = z.string().transform((text, context) => {
  const chosen = text.split(',').map((part) => part.trim());
  const known = chosen.every((part) => ['item', 'agent', 'head'].includes(part));
  if (!known || new Set(chosen).size < chosen.length || (chosen.length > 1 && chosen.includes('item'))) {
    context.addIssue(`"${shown(text)}" is none of item, agent, head or agent,head`);
  }
  return { agent: chosen.includes('agent'), head: chosen.includes('head') };
});

export const sha = z
  .string()
  .refine((text) => isSha(text), { error: ({ input }) => `"${shown(input)}" is no full sha of a commit` });

export const count = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,3})$/, { error: ({ input }) => `"${shown(input)}" is no number from 0 to 9999` })
  .transform(Number);

export const toggle = words('true', 'false');

export const claim = z.string().transform((text, context) => {
  const parsed = parseClaimId(text);
  if (!parsed)
    context.addIssue(`"${shown(text)}" is no claim id; it is the output claim-id of the step that claimed`);
  return parsed ?? z.NEVER;
});

/** A wrong value as an error can safely repeat it. */
export function shown(value: unknown): string {
  const text = String(value).replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
