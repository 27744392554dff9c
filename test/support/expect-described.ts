import type { TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import { expect } from 'vitest';

/** Fails unless the schema of its type describes every field of the data of each event, which has all that the schema requires. */
export function expectDescribed(
  schemas: Partial<Record<string, TSchema>>,
  events: readonly { readonly type: string; readonly data: object }[],
): void {
  for (const { type, data } of events) {
    const errors = Errors(closed(schemas[type] ?? { not: {} }) as TSchema, data);
    expect({ type, data, errors }).toEqual({ type, data, errors: [] });
  }
}

/** Receivers accept more fields than they know; here each must be known. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return copy['type'] === 'object' ? { additionalProperties: false, ...copy } : copy;
}
