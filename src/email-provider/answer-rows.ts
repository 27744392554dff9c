import { isObject } from '../lib/json-value.ts';
import { retryAfterMs } from '../lib/http/retry-after.ts';
import type { HttpAnswer } from './http-exchange.ts';
import type { Meaning } from './provider-error.ts';

/** What an error answer of a provider means. `Own`: more than the meanings that all providers have. */
export type AnswerRow<Own extends string = never> = readonly [
  /** `422`, `4xx`, or `any`. */
  status: 'any' | `${1 | 2 | 3 | 4 | 5}xx` | `${number}`,
  /** The word or number that the answer has for its error, or `any`, which includes none. */
  code: string,
  meaning: Meaning | Own,
  why: string,
  /** As `METHOD /path`, with `:id` in place of an id. @default every call */
  calls?: readonly string[],
];

/** Whether an error answer can be the provider's: a page is of something in between, such as a proxy, and says nothing of the resource. */
export const isOfProvider = (content: unknown): boolean => isObject(content);

const DETAIL_CHARACTERS_MAX = 500;

/** What is the same in the error answers of all operators' accounts. */
export const errorFields = ({ httpStatus, headers }: HttpAnswer, detail: string | undefined) => ({
  httpStatus,
  // With a 5xx other than 503, the request may have been processed.
  mayHaveActed: httpStatus >= 500 && httpStatus !== 503,
  detail: detail?.slice(0, DETAIL_CHARACTERS_MAX),
  retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()),
});

/** The first matching row decides. @param call as in a row; for a table with calls */
export function meaningIn<Own extends string = never>(
  table: readonly AnswerRow<Own>[],
  httpStatus: number,
  code: string | undefined,
  call?: string,
): Meaning | Own {
  const statuses = ['any', String(httpStatus), `${String(httpStatus).charAt(0)}xx`];
  const row = table.find(
    ([ofStatus, ofCode, , , calls]) =>
      statuses.includes(ofStatus) &&
      (ofCode === 'any' || ofCode === code) &&
      (calls === undefined || (call !== undefined && calls.includes(call))),
  );
  return row?.[2] ?? 'transient';
}
