// The meaning of every error answer of the provider. A test compares docs/provider-answers.md with this table.
import type { Meaning } from '../../provider-error.ts';

export interface AnswerRow {
  /** `404`, `4xx`, or `any`. */
  readonly status: string;
  /** The `code` of the problem details (RFC 9457), or `any`, which includes none. */
  readonly code: string;
  /** As `METHOD /path`, with `:id` in place of an id; `any` for every call. */
  readonly calls: readonly string[] | 'any';
  readonly meaning: Meaning;
  readonly why: string;
}

const CREATES = ['POST /api-keys', 'POST /webhooks', 'POST /domains', 'POST /senders', 'POST /emails'];
const BY_ID = [
  ...['GET /domains/:id', 'GET /emails/:id'],
  ...['DELETE /api-keys/:id', 'DELETE /webhooks/:id', 'DELETE /domains/:id', 'DELETE /senders/:id'],
];
const VERIFY = 'POST /domains/:id/verify';
/** Those that an onboarding can do without. */
const OPTIONAL = ['POST /webhooks', VERIFY, ...BY_ID.filter((call) => call.startsWith('DELETE'))];

/** The code of a success that cannot be read; no provider sends it. */
export const UNREADABLE = 'unreadable';

/** The first matching row decides. Without a `code` of the contract, an answer is an outage. */
export const answerTable: readonly AnswerRow[] = [
  {
    status: '429',
    code: 'any',
    calls: 'any',
    meaning: 'transient',
    why: 'Too many requests; `Retry-After` says when to ask again.',
  },
  {
    status: '408',
    code: 'any',
    calls: 'any',
    meaning: 'transient',
    why: 'The request arrived too slowly.',
  },
  {
    status: '425',
    code: 'any',
    calls: 'any',
    meaning: 'transient',
    why: 'The server does not process early data (RFC 8470).',
  },
  {
    status: '401',
    code: 'invalid_api_key',
    calls: 'any',
    meaning: 'transient',
    why: 'A credential is being rotated, or a replica does not know it yet.',
  },
  {
    status: '403',
    code: 'insufficient_scope',
    calls: 'any',
    meaning: 'transient',
    why: 'The operator of the provider can grant the scope.',
  },
  {
    status: '403',
    code: 'account_paused',
    calls: ['POST /emails'],
    meaning: 'transient',
    why: 'The operator of the provider can resume the account.',
  },
  {
    status: '404',
    code: 'not_found',
    calls: BY_ID,
    meaning: 'gone',
    why: 'The resource was deleted, or a replica does not know it yet.',
  },
  {
    status: '410',
    code: 'not_found',
    calls: BY_ID,
    meaning: 'gone',
    why: 'The resource was deleted.',
  },
  {
    status: '409',
    code: 'idempotency_in_progress',
    calls: 'any',
    meaning: 'transient',
    why: 'The first request with this Idempotency-Key is still being processed.',
  },
  {
    status: '409',
    code: 'already_exists',
    calls: ['POST /domains', 'POST /senders'],
    meaning: 'exists',
    why: 'The resource exists; the onboarding adopts it if `existing_id` names it.',
  },
  {
    status: '413',
    code: 'payload_too_large',
    calls: CREATES,
    meaning: 'refused',
    why: 'The same request stays too large.',
  },
  {
    status: '422',
    code: 'domain_not_verified',
    calls: ['POST /senders', 'POST /emails'],
    meaning: 'notVerified',
    why: 'Exit F2: the onboarding returns to the domain.',
  },
  {
    status: '422',
    code: 'idempotency_key_reused',
    calls: CREATES,
    meaning: 'keyReused',
    why: 'An earlier request had the same key and other content; `existing_id` names what it created.',
  },
  {
    status: '422',
    code: 'validation_failed',
    calls: CREATES,
    meaning: 'refused',
    why: 'The same content stays invalid.',
  },
  {
    status: '2xx',
    code: UNREADABLE,
    calls: CREATES,
    meaning: 'unread',
    why: 'A success without what the onboarding needs: each repetition may create another resource.',
  },
  {
    status: '404',
    code: 'any',
    calls: OPTIONAL,
    meaning: 'unsupported',
    why: 'The provider does not offer this call, and the onboarding can do without it.',
  },
  {
    status: '405',
    code: 'any',
    calls: OPTIONAL,
    meaning: 'unsupported',
    why: 'As for 404.',
  },
  {
    status: '501',
    code: 'any',
    calls: OPTIONAL,
    meaning: 'unsupported',
    why: 'As for 404.',
  },
  {
    status: '4xx',
    code: 'any',
    calls: [VERIFY],
    meaning: 'unsupported',
    why: 'The call only asks the provider to check earlier; the GET after it reports any real problem.',
  },
  {
    status: '5xx',
    code: 'any',
    calls: 'any',
    meaning: 'transient',
    why: 'An error of the provider or of a proxy in front of it.',
  },
  {
    status: 'any',
    code: 'any',
    calls: 'any',
    meaning: 'transient',
    why: "Not a response that the contract defines: a redirect, a proxy's error page, an unknown code, or a known code with the wrong status or call.",
  },
];

/** Whether the table has a row for this code. */
export const isCodeOfContract = (code: string): boolean =>
  code !== 'any' && answerTable.some((row) => row.code === code);

/** @param call `GET /domains/dom_1`; a query does not matter */
export function meaningOf(call: string, httpStatus: number, code: string | undefined): Meaning {
  const template = templateOf(call);
  const row = answerTable.find(
    (candidate) =>
      (candidate.calls === 'any' || candidate.calls.includes(template)) &&
      (candidate.code === 'any' || candidate.code === code) &&
      fitsStatus(candidate.status, httpStatus),
  );
  return row?.meaning ?? 'transient';
}

const fitsStatus = (pattern: string, httpStatus: number): boolean =>
  pattern === 'any' || pattern === String(httpStatus) || pattern === `${String(httpStatus).charAt(0)}xx`;

/** `GET /domains/:id` for `GET /domains/dom_1`. */
function templateOf(call: string): string {
  const [collection = '', id, ...rest] = (call.split('?', 1)[0] ?? '').split('/').slice(1);
  const method = call.split(' ', 1)[0] ?? '';
  return `${method} /${[collection, ...(id === undefined ? [] : [':id']), ...rest].join('/')}`;
}
