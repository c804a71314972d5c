import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { type Answer, failure } from '../answers.js';
import type { Route } from '../routes/route.js';
import { operationOf, SUBSET, type Subset } from './subset.js';

/**
 * Holds the server to GitHub's own description of its answers: what a client learns here it must be
 * able to rely on there. The description says which fields there are and of which type; whether
 * their values are right is what the server's tests are for.
 */
export class Contract {
  /** What was wrong, each with its route and field. */
  readonly violations: string[] = [];

  /** The answer if it is as described; else one with 500 that names what is wrong. */
  checked(route: Route, answer: Answer): Answer {
    const problem = route.undescribed ? undefined : problemOf(operationOf(route), answer);
    return problem === undefined ? answer : this.violated(problem);
  }

  violated(problem: string): Answer {
    this.violations.push(problem);
    return failure(500, problem);
  }

  /** Throws, once, if anything was wrong: a client that was tested against it was tested against nothing. */
  settle(): void {
    const problems = new Set(this.violations.splice(0));
    if (problems.size > 0) throw new Error(`the server isn't as GitHub is:\n${[...problems].join('\n')}`);
  }
}

function problemOf(operation: string, { status, body }: Answer): string | undefined {
  const validator = validatorOf(operation, status);
  const place = `${operation} ${status}`;
  if (validator === 'unknown') return `${place}: GitHub describes no such answer`;
  if (validator === 'empty') return body === undefined ? undefined : `${place}: has a body`;
  return validator(body) ? undefined : `${place}: ${worst(validator.errors ?? [])}`;
}

/** Of the reasons why no alternative fits, the one of the alternative that came furthest. */
function worst(errors: ErrorObject[]): string {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  const [first] = errors.toSorted((a, b) => depth(b) - depth(a));
  if (!first) return 'is wrong';
  const { additionalProperty = '' } = first.params;
  return [first.instancePath || 'the body', first.message, additionalProperty].filter(Boolean).join(' ');
}

type Validator = ValidateFunction | 'empty' | 'unknown';

const validators = new Map<string, Validator>();
let library: { ajv: Ajv; subset: Subset } | undefined;

/** Compiled when it is first needed, and once for all servers of a process. */
function validatorOf(operation: string, status: number): Validator {
  const key = `${operation} ${status}`;
  const known = validators.get(key);
  if (known) return known;
  const made = compile(operation, status);
  validators.set(key, made);
  return made;
}

function compile(operation: string, status: number): Validator {
  library ??= open();
  const { ajv, subset } = library;
  const schema = subset.operations[operation]?.[status];
  // An error that isn't described for a route is like all others; anything else has to be.
  const described = schema ?? (status >= 400 ? { $ref: '#/components/schemas/basic-error' } : schema);
  if (described === undefined) return 'unknown';
  if (described === null) return 'empty';
  return ajv.compile(absolute(described));
}

function open() {
  const subset = JSON.parse(readFileSync(SUBSET, 'utf8')) as Subset;
  const ajv = new Ajv({ strict: false, validateSchema: false });
  formats.default(ajv, ['uri', 'date-time', 'email']);
  ajv.addSchema({ $id: '/github', components: subset.components });
  return { ajv, subset };
}

/** The references of an operation, seen from outside the file that it was taken from. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"/github#/components/'));
}
