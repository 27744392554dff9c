// What Resend's error answers mean. Its document describes successes alone; these rows are from its pages and issues. A test compares
// docs/providers.md with this table.
import { type AnswerRow, meaningIn } from '../../answer-rows.ts';

type Row = AnswerRow<'look'>;

/** `code`: the `name` of the answer. `look`: the same words stand for several causes, and a look at the resource tells them apart. */
export const answerTable: readonly Row[] = [
  ['429', 'daily_quota_exceeded', 'accountBlocked', 'The quota of the account is used up.'],
  ['429', 'monthly_quota_exceeded', 'accountBlocked', 'As for the daily quota.'],
  ['429', 'any', 'transient', 'Too many requests; `Retry-After` says when to ask again.'],
  [
    '401',
    'any',
    'accountBlocked',
    'RESEND_API_KEY is missing, revoked or restricted to sending: the operator replaces it.',
  ],
  ['403', 'invalid_api_key', 'accountBlocked', 'As for 401.'],
  ['403', 'restricted_api_key', 'accountBlocked', 'As for 401.'],
  [
    '403',
    'any',
    'look',
    'The domain exists, or is not verified. If it is neither, accountBlocked: the account may send to its owner alone, or is suspended.',
  ],
  ['404', 'any', 'gone', 'Nothing has this ID.'],
  [
    '409',
    'concurrent_idempotent_requests',
    'transient',
    'The first request with this Idempotency-Key is still being processed.',
  ],
  [
    '409',
    'invalid_idempotent_request',
    'keyReused',
    'An earlier request had the same Idempotency-Key and other content.',
  ],
  ['409', 'any', 'look', 'The resource exists.'],
  ['422', 'any', 'look', 'The domain exists, or is not verified. If it is neither, refused: the content is invalid.'],
  ['400', 'any', 'refused', 'The same content stays invalid.'],
  ['451', 'any', 'refused', 'A security rule of Resend refuses the content.'],
  ['any', 'any', 'transient', 'An outage, or an answer of something in between.'],
];

export const meaningOf = (httpStatus: number, code: string | undefined): Row[2] =>
  meaningIn(answerTable, httpStatus, code);
