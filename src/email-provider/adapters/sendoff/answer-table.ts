// The meaning of every error answer of the provider. A test compares docs/provider-answers.md with this table.
import { type AnswerRow, meaningIn } from '../../answer-rows.ts';
import type { Meaning } from '../../provider-error.ts';

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

/** `code`: that of the problem details (RFC 9457). Without a `code` of the contract, an answer is an outage. */
export const answerTable: readonly AnswerRow[] = [
  ['429', 'any', 'transient', 'Too many requests; `Retry-After` says when to ask again.'],
  ['408', 'any', 'transient', 'The request arrived too slowly.'],
  ['425', 'any', 'transient', 'The server does not process early data (RFC 8470).'],
  ['401', 'invalid_api_key', 'transient', 'A credential is being rotated, or a replica does not know it yet.'],
  ['403', 'insufficient_scope', 'transient', 'The operator of the provider can grant the scope.'],
  ['403', 'account_paused', 'transient', 'The operator of the provider can resume the account.', ['POST /emails']],
  ['404', 'not_found', 'gone', 'The resource was deleted, or a replica does not know it yet.', BY_ID],
  ['410', 'not_found', 'gone', 'The resource was deleted.', BY_ID],
  [
    '409',
    'idempotency_in_progress',
    'transient',
    'The first request with this Idempotency-Key is still being processed.',
  ],
  [
    '409',
    'already_exists',
    'exists',
    'The resource exists; the onboarding adopts it if `existing_id` names it.',
    ['POST /domains', 'POST /senders'],
  ],
  ['413', 'payload_too_large', 'refused', 'The same request stays too large.', CREATES],
  [
    '422',
    'domain_not_verified',
    'notVerified',
    'Exit F2: the onboarding returns to the domain.',
    ['POST /senders', 'POST /emails'],
  ],
  [
    '422',
    'idempotency_key_reused',
    'keyReused',
    'An earlier request had the same key and other content; `existing_id` names what it created.',
    CREATES,
  ],
  ['422', 'validation_failed', 'refused', 'The same content stays invalid.', CREATES],
  [
    '2xx',
    UNREADABLE,
    'unread',
    'A success without what the onboarding needs: each repetition may create another resource.',
    CREATES,
  ],
  [
    '404',
    'any',
    'unsupported',
    'The provider does not offer this call, and the onboarding can do without it.',
    OPTIONAL,
  ],
  ['405', 'any', 'unsupported', 'As for 404.', OPTIONAL],
  ['501', 'any', 'unsupported', 'As for 404.', OPTIONAL],
  [
    '4xx',
    'any',
    'unsupported',
    'The call only asks the provider to check earlier; the GET after it reports any real problem.',
    [VERIFY],
  ],
  ['5xx', 'any', 'transient', 'An error of the provider or of a proxy in front of it.'],
  [
    'any',
    'any',
    'transient',
    "Not a response that the contract defines: a redirect, a proxy's error page, an unknown code, or a known code with the wrong status or call.",
  ],
];

/** Whether the table has a row for this code. */
export const isCodeOfContract = (code: string): boolean =>
  code !== 'any' && answerTable.some(([, known]) => known === code);

/** @param call `GET /domains/dom_1`; a query does not matter */
export const meaningOf = (call: string, httpStatus: number, code: string | undefined): Meaning =>
  meaningIn(answerTable, httpStatus, code, templateOf(call));

/** `GET /domains/:id` for `GET /domains/dom_1`. */
function templateOf(call: string): string {
  const [collection = '', id, ...rest] = (call.split('?', 1)[0] ?? '').split('/').slice(1);
  const method = call.split(' ', 1)[0] ?? '';
  return `${method} /${[collection, ...(id === undefined ? [] : [':id']), ...rest].join('/')}`;
}
