import type { FastifyRequest } from 'fastify';
import { refusal } from './errors.ts';

/** No object of any call has more than fifty; so many more are no typo, and are not told one by one. */
const FIELDS_MAX = 1_000;
const NAME_CHARS_MAX = 60;

/**
 * Before the schemas, which make an error of every field that is too many: for the hundred thousands that fit into a body
 * that takes a second, in which nobody else is answered.
 */
export async function refuseTooManyFields({ body }: FastifyRequest): Promise<void> {
  if (!isObject(body)) return;
  refuseIfTooMany(body, '');
  for (const [name, value] of Object.entries(body))
    if (isObject(value)) refuseIfTooMany(value, `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

function refuseIfTooMany(value: object, pointer: string): void {
  const { length } = Array.isArray(value) ? value : Object.keys(value);
  if (length <= FIELDS_MAX) return;
  const what = pointer === '' ? 'The body' : pointer.slice(1, NAME_CHARS_MAX);
  throw refusal([
    { pointer, code: 'too_many', detail: `${what} has ${String(length)} entries, more than any call takes.` },
  ]);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
