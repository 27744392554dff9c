import { type Meaning, meaningOf, UNREADABLE } from './answer-table.ts';

/** An error answer of the provider. Contains nothing of the request's headers or body. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  /** `GET /domains/dom_1` */
  readonly call: string;
  readonly httpStatus: number;
  /** The provider's code, `domain_not_verified`; `http_502` if the answer has none. */
  readonly code: string;
  readonly meaning: Meaning;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** With `already_exists`: the id of the existing resource. */
  readonly existingId: string | undefined;

  /** @param call `GET /domains/dom_1` */
  constructor(
    call: string,
    answer: {
      httpStatus: number;
      code?: string | undefined;
      detail?: string | undefined;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      existingId?: string | undefined;
    },
  ) {
    const found = answer.code ?? 'without an error code';
    super(`${call}: ${answer.httpStatus} ${found}${answer.detail === undefined ? '' : `, ${answer.detail}`}`);
    this.call = call;
    this.httpStatus = answer.httpStatus;
    this.code = answer.code ?? `http_${answer.httpStatus}`;
    this.meaning = meaningOf(call, answer.httpStatus, answer.code);
    this.requestId = answer.requestId;
    this.retryAfterMs = answer.retryAfterMs;
    this.existingId = answer.existingId;
  }
}

/** A creation that succeeded, with an answer that cannot be read: each repetition may create another resource. */
export const unreadable = (call: string, reason: string): ProviderError =>
  new ProviderError(call, { httpStatus: 200, code: UNREADABLE, detail: reason });

/** A call that the provider cannot carry out, so that it is not sent. */
export const withoutCall = (call: string, reason: string): ProviderError =>
  new ProviderError(call, { httpStatus: 501, detail: reason });

/** No usable answer: no connection, a timeout, or an answer that the contract does not define. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
  constructor(call: string, reason: string) {
    super(`${call}: no answer, ${reason}`);
  }
}
