// What Resend's error answers mean. Its document describes successes alone; these rows are from its pages and issues. A test compares
// docs/providers.md with this table.
import { type AnswerRow, meaningIn } from '../../answer-rows.ts';

type Row = AnswerRow<'look'>;

/** `code`: the `name` of the answer. `look`: the same words stand for several causes, and a look at the resource tells them apart. */
export const answerTable: readonly Row[] = [
  {
    status: '429',
    code: 'daily_quota_exceeded',
    meaning: 'accountBlocked',
    why: 'The quota of the account is used up.',
  },
  { status: '429', code: 'monthly_quota_exceeded', meaning: 'accountBlocked', why: 'As for the daily quota.' },
  { status: '429', code: 'any', meaning: 'transient', why: 'Too many requests; `Retry-After` says when to ask again.' },
  {
    status: '401',
    code: 'any',
    meaning: 'accountBlocked',
    why: 'RESEND_API_KEY is missing, revoked or restricted to sending: the operator replaces it.',
  },
  { status: '403', code: 'invalid_api_key', meaning: 'accountBlocked', why: 'As for 401.' },
  { status: '403', code: 'restricted_api_key', meaning: 'accountBlocked', why: 'As for 401.' },
  {
    status: '403',
    code: 'any',
    meaning: 'look',
    why: 'The domain exists, or is not verified. If it is neither, accountBlocked: the account may send to its owner alone, or is suspended.',
  },
  { status: '404', code: 'any', meaning: 'gone', why: 'Nothing has this ID.' },
  {
    status: '409',
    code: 'concurrent_idempotent_requests',
    meaning: 'transient',
    why: 'The first request with this Idempotency-Key is still being processed.',
  },
  {
    status: '409',
    code: 'invalid_idempotent_request',
    meaning: 'keyReused',
    why: 'An earlier request had the same Idempotency-Key and other content.',
  },
  { status: '409', code: 'any', meaning: 'look', why: 'The resource exists.' },
  {
    status: '422',
    code: 'any',
    meaning: 'look',
    why: 'The domain exists, or is not verified. If it is neither, refused: the content is invalid.',
  },
  { status: '400', code: 'any', meaning: 'refused', why: 'The same content stays invalid.' },
  { status: '451', code: 'any', meaning: 'refused', why: 'A security rule of Resend refuses the content.' },
  { status: 'any', code: 'any', meaning: 'transient', why: 'An outage, or an answer of something in between.' },
];

export const meaningOf = (httpStatus: number, code: string | undefined): Row['meaning'] =>
  meaningIn(answerTable, httpStatus, code);
