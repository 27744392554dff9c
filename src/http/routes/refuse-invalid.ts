import { Problem } from '../problems.ts';

export interface FieldProblem {
  readonly field: string;
  /** What was expected and what was found. */
  readonly problem: string;
}

/** As many as somebody reads; `errors` has all of them. */
const NAMED_MAX = 10;

/** Answers 422 with every problem; none means that the input holds. */
export function refuseInvalid(errors: readonly FieldProblem[]): void {
  if (errors.length === 0) return;
  const named = errors.slice(0, NAMED_MAX).map(({ field, problem }) => `${field} ${problem}`.trim());
  const others = errors.length - named.length;
  throw new Problem('invalid_input', [...named, ...(others > 0 ? [`${others} more`] : [])].join('; '), { errors });
}

/** The fields of a JSON object; anything else is answered with 422. */
export function objectBody(body: unknown, expected: string): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem('invalid_input', `The request body must be a JSON object with ${expected}`);
  }
  return { ...body };
}

/** What the address names is not named a second time, perhaps otherwise. */
export const inAddress = (field: string, body: object): FieldProblem[] =>
  field in body ? [{ field, problem: 'belongs into the address, not into the body' }] : [];

export const notAmong = (known: readonly string[], body: object): FieldProblem[] =>
  Object.keys(body)
    .filter((field) => !known.includes(field))
    .map((field) => ({ field, problem: `is not a field of this call, which has ${known.join(', ')}` }));
