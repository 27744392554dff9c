/**
 * What an error answer means, as the provider's adapter says.
 *
 * `transient`: an outage or a temporary state; the call is retried until the deadline of its step.
 * `accountBlocked`: the operator's account may not do this now, for any tenant: a quota, a sandbox, an approval, a suspension. Retried until the
 * operator has acted, or the quota is renewed; nothing ends before (`onboarding/time-limits.ts`).
 * `gone`: the provider has nothing with this id.
 * `unsupported`: the provider does not offer the call, and the onboarding can do without it.
 *
 * The others are refusals, which a repetition does not change:
 * `exists`: the resource was there before; the onboarding adopts it if the answer names it.
 * `notVerified`: the domain is not verified (F2).
 * `keyReused`: an earlier request had the same Idempotency-Key and other content; the answer may name what it created.
 * `unread`: a success that cannot be read, so that a repetition may create another resource.
 * `refused`: any other.
 */
export type Meaning =
  | 'transient'
  | 'accountBlocked'
  | 'gone'
  | 'unsupported'
  | 'exists'
  | 'notVerified'
  | 'keyReused'
  | 'unread'
  | 'refused';

const REFUSALS: readonly Meaning[] = ['exists', 'notVerified', 'keyReused', 'unread', 'refused'];

export interface ErrorAnswer {
  readonly meaning: Meaning;
  /** Whether the request may have had its effect all the same. */
  readonly mayHaveActed: boolean;
  readonly httpStatus: number;
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The id of what exists, or of what the earlier request created. */
  readonly existingId?: string | undefined;
  /** The credential is not valid, or may not reach what is asked for, which may belong to another account. */
  readonly denies?: 'credential' | 'access' | undefined;
}

/** An error answer of the provider. Contains nothing of the request's headers or body. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  /** `GET /domains/dom_1` */
  readonly call: string;
  readonly httpStatus: number;
  /** The provider's code, `domain_not_verified`; `http_502` if the answer has none. */
  readonly code: string;
  readonly meaning: Meaning;
  readonly mayHaveActed: boolean;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly existingId: string | undefined;
  readonly denies: 'credential' | 'access' | undefined;

  /** @param call `GET /domains/dom_1` */
  constructor(call: string, answer: ErrorAnswer) {
    const found = answer.code ?? 'without an error code';
    super(`${call}: ${answer.httpStatus} ${found}${answer.detail === undefined ? '' : `, ${answer.detail}`}`);
    this.call = call;
    this.httpStatus = answer.httpStatus;
    this.code = answer.code ?? `http_${answer.httpStatus}`;
    this.meaning = answer.meaning;
    this.mayHaveActed = answer.mayHaveActed;
    this.requestId = answer.requestId;
    this.retryAfterMs = answer.retryAfterMs;
    this.existingId = answer.existingId;
    this.denies = answer.denies;
  }

  get isRefusal(): boolean {
    return REFUSALS.includes(this.meaning);
  }
}

/** No usable answer: no connection, a timeout, or an answer that the contract does not define. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
  readonly mayHaveActed: boolean;
  constructor(call: string, reason: string, { mayHaveActed }: { mayHaveActed: boolean } = { mayHaveActed: true }) {
    super(`${call}: no answer, ${reason}`);
    this.mayHaveActed = mayHaveActed;
  }
}

/** Whether the request that failed may have had its effect: unless the provider, or the missing connection, shows that it had none. */
export const mayHaveActed = (error: unknown): boolean =>
  !(error instanceof ProviderError || error instanceof ProviderUnreachable) || error.mayHaveActed;

/** Undefined in place of an error with this meaning. */
export async function unless<T>(meaning: Meaning, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ProviderError && error.meaning === meaning) return undefined;
    throw error;
  }
}

/** A look after an answer without an effect: a failure of the look must not say that there may be one. */
export async function lookAfter<T>({ call, httpStatus, code }: ProviderError, look: Promise<T>): Promise<T> {
  try {
    return await look;
  } catch (error) {
    if (!mayHaveActed(error)) throw error;
    const detail = 'what it means could not be looked up';
    throw new ProviderError(call, { meaning: 'transient', mayHaveActed: false, httpStatus, code, detail });
  }
}
