import { isObject } from '../lib/json-value.ts';
import { retryAfterMs } from '../lib/http/retry-after.ts';
import type { Answer } from './http-exchange.ts';
import type { Meaning } from './provider-error.ts';

/** What an error answer of a provider means. `Own`: more than the meanings that all providers have. */
export interface AnswerRow<Own extends string> {
  /** `422`, or `any`. */
  readonly status: string;
  /** The word or number that the answer has for its error, or `any`. */
  readonly code: string;
  readonly meaning: Meaning | Own;
  readonly why: string;
}

/** Whether an error answer can be the provider's: a page is of something in between, such as a proxy, and says nothing of the resource. */
export const isOfProvider = (content: unknown): boolean => isObject(content);

const DETAIL_CHARACTERS_MAX = 500;

/** What is the same in the error answers of all operators' accounts. */
export const errorFields = ({ httpStatus, headers }: Answer, detail: string | undefined) => ({
  httpStatus,
  // With a 5xx other than 503, the request may have been processed.
  mayHaveActed: httpStatus >= 500 && httpStatus !== 503,
  detail: detail?.slice(0, DETAIL_CHARACTERS_MAX),
  retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()),
});

/** The first matching row decides. */
export const meaningIn = <Own extends string>(
  table: readonly AnswerRow<Own>[],
  httpStatus: number,
  code: string | undefined,
): Meaning | Own =>
  table.find(
    (row) => (row.status === 'any' || row.status === String(httpStatus)) && (row.code === 'any' || row.code === code),
  )?.meaning ?? 'transient';
