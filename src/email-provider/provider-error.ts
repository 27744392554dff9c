/** The provider answered, and the answer is a refusal or an error. Holds nothing of request headers or bodies. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly httpStatus: number;
  /** The provider's own stable word: `domain_not_verified`. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** With `already_exists`: the id of what is there. */
  readonly existingId: string | undefined;

  constructor(
    call: string,
    answer: {
      httpStatus: number;
      code: string;
      detail?: string | undefined;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      existingId?: string | undefined;
    },
  ) {
    super(`${call}: ${answer.httpStatus} ${answer.code}${answer.detail === undefined ? '' : `, ${answer.detail}`}`);
    this.httpStatus = answer.httpStatus;
    this.code = answer.code;
    this.requestId = answer.requestId;
    this.retryAfterMs = answer.retryAfterMs;
    this.existingId = answer.existingId;
  }

  /** Whether the same call may succeed later. */
  get isTransient(): boolean {
    return (
      this.httpStatus >= 500 || [408, 425, 429].includes(this.httpStatus) || this.code === 'idempotency_in_progress'
    );
  }
}

/** The provider did not answer: no connection, a time-out, or an answer that is not of the contract. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
  constructor(call: string, reason: string) {
    super(`${call}: no answer, ${reason}`);
  }
}
