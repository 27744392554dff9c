// What Postmark's error answers mean, by their HTTP status and the ErrorCode in their content
// (https://postmarkapp.com/developer/api/overview#error-codes). A test compares docs/providers.md with this table.
import { type AnswerRow, meaningIn } from '../../answer-rows.ts';

type Row = AnswerRow<'look' | 'bounced'>;

/** `code`: the ErrorCode of the answer. `look`: a look at the resource decides. `bounced`: an outcome of the first email, which does not exist. */
export const answerTable: readonly Row[] = [
  ['429', 'any', 'transient', 'Too many requests: the account is the cause, not the tenant.'],
  ['401', 'any', 'accountBlocked', 'The token is missing, revoked, or of the other kind.'],
  ['any', '10', 'accountBlocked', 'As for 401.'],
  ['any', '100', 'transient', 'Maintenance.'],
  ['403', 'any', 'transient', 'The network in front of the API refuses the request, with a page in HTML.'],
  ['422', '400', 'notVerified', 'No verified domain has the address of the sender.'],
  ['422', '401', 'notVerified', 'The sender is not confirmed.'],
  ['422', '405', 'accountBlocked', 'The account has no credits left: the operator adds some.'],
  ['422', '406', 'bounced', 'Postmark suppresses the address after an earlier bounce or complaint, or by hand.'],
  ['422', '412', 'accountBlocked', 'The account is not approved yet: it may send to its own domains alone.'],
  ['422', '413', 'accountBlocked', 'The account may not send: the operator asks Postmark why.'],
  ['422', '500', 'transient', 'A query of Postmark failed.'],
  ['422', '600', 'transient', 'A query of Postmark failed.'],
  ['422', '503', 'refused', 'A public domain, such as gmail.com.'],
  ['422', '504', 'look', 'The domain or its sender exists.'],
  ['422', '512', 'look', 'The domain exists.'],
  ['422', '510', 'gone', 'No domain has this ID.'],
  ['422', '601', 'gone', 'No server has this ID.'],
  ['422', '603', 'exists', 'A server has this name.'],
  ['any', '604', 'unsupported', 'The account may not delete servers by API before the support of Postmark grants it.'],
  ['422', '605', 'transient', 'The server could not be deleted now.'],
  ['422', '701', 'gone', 'No message has this ID, or it is older than 45 days.'],
  ['404', 'any', 'gone', 'Nothing has this ID.'],
  ['400', 'any', 'refused', 'The same content stays invalid.'],
  ['413', 'any', 'refused', 'The email is larger than 10 MB.'],
  ['415', 'any', 'refused', 'The same content stays invalid.'],
  ['422', 'any', 'refused', 'The same content stays invalid.'],
  ['any', 'any', 'transient', 'An outage, or an answer of something in between.'],
];

export const meaningOf = (httpStatus: number, code: string): Row[2] => meaningIn(answerTable, httpStatus, code);
