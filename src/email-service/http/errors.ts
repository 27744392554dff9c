// Every error the API can answer with. Documentation, OpenAPI and tests are made from this table.

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** When it is answered; a sentence for the reference. */
  readonly when: string;
}

export const problems = {
  malformed_json: {
    status: 400,
    title: 'The body is not JSON',
    when: 'The body cannot be parsed as UTF-8 JSON, is empty, or has a key that JavaScript treats specially.',
  },
  malformed_request: {
    status: 400,
    title: 'The request is malformed',
    when: 'The URL or a header cannot be read.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'The Idempotency-Key header is missing',
    when: 'POST /emails came without an Idempotency-Key, so a repeat of it could send twice.',
  },
  idempotency_key_malformed: {
    status: 400,
    title: 'The Idempotency-Key header is malformed',
    when: 'The Idempotency-Key is not 1 to 255 visible ASCII characters, bare or as a quoted string.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not valid',
    when: 'The Authorization header is missing, or its token is mistyped, unknown or revoked.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The credential does not cover this call',
    when: 'The operator credential was used for anything but API keys and lists, or a key was asked to act for another account.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    when: 'The account has nothing with this id, the operator named an account that does not exist, or the API has no such call.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    when: 'The headers or the body did not arrive in time.',
  },
  already_exists: {
    status: 409,
    title: 'It exists already',
    when: 'The account has this domain or sender already; existing_id says which one it is.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still under way',
    when: 'A request with the same Idempotency-Key has not been answered yet; Retry-After says when to ask again.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    when: 'The body has more bytes than this call takes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not declared as JSON',
    when: 'Content-Type is not application/json, or the body has a Content-Encoding.',
  },
  expectation_failed: {
    status: 417,
    title: 'The expectation cannot be met',
    when: 'The Expect header asks for something other than 100-continue.',
  },
  validation_failed: {
    status: 422,
    title: 'Some fields are not valid',
    when: 'The request can be read but breaks a rule; errors names each field and what is wrong with it.',
  },
  domain_not_verified: {
    status: 422,
    title: 'The domain is not verified',
    when: 'A sender or an email needs a verified domain. Wait for the domain before trying again.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    when: 'The Idempotency-Key belongs to an earlier request with another method, path or body; existing_id says what that one created.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    when: 'The request line and headers together have more bytes than are read.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    when: 'An error that was not foreseen; the log has it under the request id.',
  },
  unavailable: {
    status: 503,
    title: 'Not available at the moment',
    when: 'The database or Temporal is out of reach; Retry-After says when to ask again.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof problems;

/** One field that breaks one rule. */
export interface FieldError {
  /** RFC 6901, into the body; for a query parameter, `/` and its name. */
  readonly pointer: string;
  readonly code: string;
  /** What was expected, what was found, what to do; never a secret. */
  readonly detail: string;
}

export interface ProblemExtras {
  readonly errors?: readonly FieldError[];
  readonly existingId?: string;
  /** Sent as Retry-After. */
  readonly retryAfterSeconds?: number;
}

/** A foreseen refusal. Its text goes to the caller as it is; anything else thrown becomes `internal_error` without text. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }
}

/** One `validation_failed` for all of `errors`. */
export const refusal = (errors: readonly FieldError[]): ProblemError =>
  new ProblemError('validation_failed', errors.map(({ detail }) => detail).join(' '), { errors });

/** Throws `refusal(errors)` when there are any. */
export function refuseIfAny(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw refusal(errors);
}

/** The same answer for an unknown id and another account's: which ids exist elsewhere is not to be learned. */
export const notFound = (what: string, id: string): ProblemError =>
  new ProblemError('not_found', `This account has no ${what} with the id ${JSON.stringify(id)}.`);
