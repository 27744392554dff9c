import { isObject, type JsonObject } from '../lib/json-value.ts';
import type { Method } from './http-exchange.ts';
import { ProviderError, ProviderUnreachable } from './provider-error.ts';

/** Undefined unless it is text, and not empty. */
export function textIn(value: unknown, field: string): string | undefined {
  const found = isObject(value) ? value[field] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Empty if there is no object. */
export function fieldsIn(value: unknown, field: string): JsonObject {
  const found = isObject(value) ? value[field] : undefined;
  return isObject(found) ? found : {};
}

export const flagIn = (value: unknown, field: string): boolean => isObject(value) && value[field] === true;

/** The items of a list; undefined if there is none. */
export function itemsIn(value: unknown, field: string): readonly unknown[] | undefined {
  const found = isObject(value) ? value[field] : undefined;
  return Array.isArray(found) ? found : undefined;
}

/** RFC 3339 UTC; now if the text is no time. */
export function timeOf(text: string | undefined): string {
  const time = Date.parse(text ?? '');
  return new Date(Number.isNaN(time) ? Date.now() : time).toISOString();
}

/** A success without what the API describes: a POST may have created something all the same, whose id is unknown. */
export function unreadSuccess(call: string, method: Method): ProviderError | ProviderUnreachable {
  const detail = 'a success without what the API describes';
  if (method !== 'POST') return new ProviderUnreachable(call, detail);
  return new ProviderError(call, {
    ...{ meaning: 'unread', mayHaveActed: true, httpStatus: 200, code: 'unreadable' },
    detail,
  });
}
