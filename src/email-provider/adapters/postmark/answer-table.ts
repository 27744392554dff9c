// What Postmark's error answers mean, by their HTTP status and the ErrorCode in their content
// (https://postmarkapp.com/developer/api/overview#error-codes). A test compares docs/providers.md with this table.
import { type AnswerRow, meaningIn } from '../../answer-rows.ts';

type Row = AnswerRow<'look' | 'bounced'>;

/** `code`: the ErrorCode of the answer. `look`: a look at the resource decides. `bounced`: an outcome of the first email, which does not exist. */
export const answerTable: readonly Row[] = [
  {
    status: '429',
    code: 'any',
    meaning: 'transient',
    why: 'Too many requests: the account is the cause, not the tenant.',
  },
  {
    status: '401',
    code: 'any',
    meaning: 'accountBlocked',
    why: 'The token is missing, revoked, or of the other kind.',
  },
  { status: 'any', code: '10', meaning: 'accountBlocked', why: 'As for 401.' },
  { status: 'any', code: '100', meaning: 'transient', why: 'Maintenance.' },
  {
    status: '403',
    code: 'any',
    meaning: 'transient',
    why: 'The network in front of the API refuses the request, with a page in HTML.',
  },
  { status: '422', code: '400', meaning: 'notVerified', why: 'No verified domain has the address of the sender.' },
  { status: '422', code: '401', meaning: 'notVerified', why: 'The sender is not confirmed.' },
  {
    status: '422',
    code: '405',
    meaning: 'accountBlocked',
    why: 'The account has no credits left: the operator adds some.',
  },
  {
    status: '422',
    code: '406',
    meaning: 'bounced',
    why: 'Postmark suppresses the address after an earlier bounce or complaint, or by hand.',
  },
  {
    status: '422',
    code: '412',
    meaning: 'accountBlocked',
    why: 'The account is not approved yet: it may send to its own domains alone.',
  },
  {
    status: '422',
    code: '413',
    meaning: 'accountBlocked',
    why: 'The account may not send: the operator asks Postmark why.',
  },
  { status: '422', code: '500', meaning: 'transient', why: 'A query of Postmark failed.' },
  { status: '422', code: '600', meaning: 'transient', why: 'A query of Postmark failed.' },
  { status: '422', code: '503', meaning: 'refused', why: 'A public domain, such as gmail.com.' },
  { status: '422', code: '504', meaning: 'look', why: 'The domain or its sender exists.' },
  { status: '422', code: '512', meaning: 'look', why: 'The domain exists.' },
  { status: '422', code: '510', meaning: 'gone', why: 'No domain has this ID.' },
  { status: '422', code: '601', meaning: 'gone', why: 'No server has this ID.' },
  { status: '422', code: '603', meaning: 'exists', why: 'A server has this name.' },
  {
    status: 'any',
    code: '604',
    meaning: 'unsupported',
    why: 'The account may not delete servers by API before the support of Postmark grants it.',
  },
  { status: '422', code: '605', meaning: 'transient', why: 'The server could not be deleted now.' },
  { status: '422', code: '701', meaning: 'gone', why: 'No message has this ID, or it is older than 45 days.' },
  { status: '404', code: 'any', meaning: 'gone', why: 'Nothing has this ID.' },
  { status: '400', code: 'any', meaning: 'refused', why: 'The same content stays invalid.' },
  { status: '413', code: 'any', meaning: 'refused', why: 'The email is larger than 10 MB.' },
  { status: '415', code: 'any', meaning: 'refused', why: 'The same content stays invalid.' },
  { status: '422', code: 'any', meaning: 'refused', why: 'The same content stays invalid.' },
  { status: 'any', code: 'any', meaning: 'transient', why: 'An outage, or an answer of something in between.' },
];

export const meaningOf = (httpStatus: number, code: string): Row['meaning'] => meaningIn(answerTable, httpStatus, code);
