import type { FastifyRequest } from 'fastify';
import { refusal } from './problem.ts';

const NAME_CHARS_MAX = 60;
/** On average: no schema has an array whose elements have more. */
const FIELDS_OF_ELEMENT_MAX = 5;

/**
 * For `preValidation` of JSON bodies. A schema reports each surplus field as an error: for the hundred thousands that fit
 * into a body that takes a second, during which no other request is answered.
 */
export const refuseTooManyFields =
  (fieldsMax: number) =>
  async ({ body }: FastifyRequest): Promise<void> => {
    if (!hasEntries(body)) return;
    refuseIfTooMany(body, '', fieldsMax);
    for (const [name, value] of Object.entries(body))
      if (hasEntries(value)) {
        const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        refuseIfTooMany(value, pointer, fieldsMax);
        if (Array.isArray(value)) {
          refuseIfTooMany(value.filter(hasEntries).flatMap(Object.keys), pointer, fieldsMax * FIELDS_OF_ELEMENT_MAX);
        }
      }
  };

function refuseIfTooMany(value: object, pointer: string, fieldsMax: number): void {
  const { length } = Array.isArray(value) ? value : Object.keys(value);
  if (length <= fieldsMax) return;
  const what = pointer === '' ? 'The body' : pointer.slice(1, NAME_CHARS_MAX);
  const detail = `${what} has ${String(length)} entries, more than the ${fieldsMax} that any call accepts.`;
  throw refusal([{ pointer, code: 'too_many', detail }]);
}

const hasEntries = (value: unknown): value is object => typeof value === 'object' && value !== null;
