import { isObject } from '../lib/json-value.ts';
import type { Problem } from './openapi.ts';

/** `unreachable`, `timed_out`, `unexpected_answer`: without an answer of the API. */
export type SendoffErrorCode = Problem['code'] | 'unreachable' | 'timed_out' | 'unexpected_answer';

/** A call that failed: the problem that the API returned (RFC 9457), or why there is none. */
export class SendoffError extends Error {
  override readonly name = 'SendoffError';
  /** HTTP status of the response; null without one. */
  readonly status: number | null;
  /** Stable; docs/http-api.md lists those of the API. */
  readonly code: SendoffErrorCode;
  readonly detail: string;
  /** One per field that breaks a rule. */
  readonly errors: NonNullable<Problem['errors']>;
  /** To find the call in the server's log; null without an answer of the API. */
  readonly requestId: string | null;
  /** The whole problem, with the members that only some codes have. */
  readonly problem: Problem | null;

  constructor(
    { status, code, detail }: { status: number | null; code: SendoffErrorCode; detail: string },
    { problem = null, cause }: { problem?: Problem | null; cause?: unknown } = {},
  ) {
    super(`${code}: ${detail}`, cause === undefined ? {} : { cause });
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = problem?.errors ?? [];
    this.requestId = problem?.request_id ?? null;
    this.problem = problem;
  }
}

/** The error of a response whose status is not 2xx. */
export function errorOf(status: number, content: unknown): SendoffError {
  if (!isProblem(content)) {
    const detail = `The server answered with status ${status} and no problem details; it may not be the HTTP API of sendoff`;
    return new SendoffError({ status, code: 'unexpected_answer', detail });
  }
  return new SendoffError({ status, code: content.code, detail: content.detail }, { problem: content });
}

const isProblem = (content: unknown): content is Problem =>
  isObject(content) && typeof content['code'] === 'string' && typeof content['detail'] === 'string';
