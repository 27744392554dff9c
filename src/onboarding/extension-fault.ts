import { isObject, shown } from '../lib/json-value.ts';
import { VERIFICATION_WINDOW_HOURS_MAX } from './input.ts';

/** The input of `extendVerification`; the Event History keeps who extended the window and why. */
export interface Extension {
  readonly hours: number;
  readonly by: string;
  readonly reason: string;
}

/** Bounds how often a window can be extended: each extension adds about fourteen events to the history. */
export const EXTENSION_HOURS_MIN = 1;
/** Of a caller's name, in every request. */
export const BY_LENGTH_MAX = 200;
/** The HTTP API adds the name of the caller's API token, of up to 64 characters. */
const BY_WITH_TOKEN_LENGTH_MAX = BY_LENGTH_MAX + 100;
const REASON_LENGTH_MAX = 1_000;

/** Why a value is not an Extension; undefined if it is one. */
export function extensionFault(value: unknown): string | undefined {
  if (!isObject(value)) {
    return `expected {"hours": 24, "by": "who", "reason": "why"}; found ${shown(value)}`;
  }
  const { hours, by, reason, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `${shown(unknown)} is not a field of an extension: it has hours, by and reason`;
  if (typeof hours !== 'number' || !(hours >= EXTENSION_HOURS_MIN && hours <= VERIFICATION_WINDOW_HOURS_MAX)) {
    return `hours must be a number from ${EXTENSION_HOURS_MIN} to ${VERIFICATION_WINDOW_HOURS_MAX}; found ${shown(hours)}`;
  }
  for (const [field, text, max] of [
    ['by', by, BY_WITH_TOKEN_LENGTH_MAX],
    ['reason', reason, REASON_LENGTH_MAX],
  ] as const) {
    if (typeof text !== 'string' || text.trim() === '' || Array.from(text).length > max) {
      return `${field} must be a string of 1 to ${max} characters; found ${shown(text)}`;
    }
  }
  return undefined;
}
