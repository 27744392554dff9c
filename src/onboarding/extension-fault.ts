/** The input of `extendVerification`; the Event History keeps who extended the window and why. */
export interface Extension {
  readonly hours: number;
  readonly by: string;
  readonly reason: string;
}

const BY_LENGTH_MAX = 200;
const REASON_LENGTH_MAX = 1_000;
const FOUND_LENGTH_MAX = 100;

/** Why a value is not an Extension; undefined if it is one. */
export function extensionFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `expected {"hours": 24, "by": "who", "reason": "why"}; found ${found(value)}`;
  }
  const { hours, by, reason } = value as Readonly<Record<string, unknown>>;
  if (typeof hours !== 'number' || !(hours > 0)) return `hours must be a number above 0; found ${found(hours)}`;
  for (const [field, text, max] of [
    ['by', by, BY_LENGTH_MAX],
    ['reason', reason, REASON_LENGTH_MAX],
  ] as const) {
    if (typeof text !== 'string' || text.trim() === '' || text.length > max) {
      return `${field} must be a string of 1 to ${max} characters; found ${found(text)}`;
    }
  }
  return undefined;
}

function found(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > FOUND_LENGTH_MAX ? `${text.slice(0, FOUND_LENGTH_MAX)}…` : text;
}
