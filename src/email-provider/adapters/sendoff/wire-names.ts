// The points that the specification leaves open, as declared alternatives: where a provider puts a resource, and what it calls its fields.
// A test compares docs/provider-answers.md with this table.

import { isObject, type JsonObject } from '../../../lib/json-value.ts';

/** The objects that a resource may stand in, besides the resource's own name; at most three, one in another. */
export const envelopes = ['data', 'result'] as const;
const ENVELOPES_MAX = 3;

/** Names of each field: the first that is present counts. Any may be in camelCase. */
export const fieldNames = {
  token: ['token', 'key', 'api_key', 'secret'],
  records: ['records', 'dns_records', 'dns'],
  type: ['type', 'record_type'],
  name: ['name', 'hostname', 'host'],
  value: ['value', 'content', 'data'],
  bounce: ['bounce', 'bounce_reason'],
  reason: ['reason', 'message', 'description'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Deeper than anything that is read, and than a hostile answer may make this recurse. */
const DEPTH_MAX = 12;

/** The names in snake_case; a name that is so already wins. */
function inSnakeCase(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => inSnakeCase(item, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    ([name, field]) => [snakeCase(name), name, inSnakeCase(field, depth + 1)] as const,
  );
  return Object.fromEntries(
    entries
      .sort(([one, was], [other, wasOther]) => Number(one === was) - Number(other === wasOther))
      .map(([name, , field]) => [name, field]),
  );
}

const snakeCase = (name: string): string => name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase();

/** The fields of a resource, with those that stand beside it in its envelope; undefined if there is no object. */
export function resourceIn(content: unknown, ...names: readonly string[]): JsonObject | undefined {
  let fields = inSnakeCase(content);
  for (let opened = 0; opened < ENVELOPES_MAX && isObject(fields); opened++) {
    const around: JsonObject = fields;
    const envelope = [...envelopes, ...names].find((name) => isObject(around[name]));
    if (envelope === undefined) break;
    const { [envelope]: inner, ...beside } = around;
    fields = { ...beside, ...(inner as JsonObject) };
  }
  return isObject(fields) ? fields : undefined;
}

/** The field under the first of its names that is present. */
export function fieldOf(fields: JsonObject, field: keyof typeof fieldNames): unknown {
  const name = fieldNames[field].find((each) => fields[each] !== undefined && fields[each] !== null);
  return name === undefined ? undefined : fields[name];
}
