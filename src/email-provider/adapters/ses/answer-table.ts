// What SES's errors mean, by their names, which its document lists per operation. A test compares docs/providers.md with this table.
import type { Meaning } from '../../provider-error.ts';

export interface AnswerRow {
  /** The exception, or `any`. */
  readonly name: string;
  readonly meaning: Meaning;
  readonly why: string;
  /** The key, not what it asks for, is the cause. */
  readonly denies?: 'credential' | 'access';
}

const accessKey = { meaning: 'accountBlocked', denies: 'credential' } as const;

export const answerTable: readonly AnswerRow[] = [
  { name: 'NotFoundException', meaning: 'gone', why: 'Nothing has this name.' },
  { name: 'AlreadyExistsException', meaning: 'exists', why: 'The resource exists; its tag says whose it is.' },
  { name: 'MessageRejected', meaning: 'refused', why: 'The content; the domain or the account are looked at first.' },
  {
    name: 'MailFromDomainNotVerifiedException',
    meaning: 'notVerified',
    why: 'The MX record of the MAIL FROM domain is missing.',
  },
  { name: 'BadRequestException', meaning: 'refused', why: 'The same content stays invalid.' },
  { name: 'TooManyRequestsException', meaning: 'transient', why: 'Too many requests to the account.' },
  { name: 'LimitExceededException', meaning: 'accountBlocked', why: 'A quota of the account is used up.' },
  {
    name: 'AccountSuspendedException',
    meaning: 'accountBlocked',
    why: 'Amazon has stopped the account: the operator answers its case.',
  },
  { name: 'SendingPausedException', meaning: 'accountBlocked', why: 'Sending is paused: the operator lets it go on.' },
  {
    name: 'ConcurrentModificationException',
    meaning: 'transient',
    why: 'Another request changes the same resource; this one had no effect.',
  },
  {
    name: 'AccessDeniedException',
    meaning: 'transient',
    denies: 'access',
    why: 'The key has no permission: the operator adds it.',
  },
  { name: 'UnrecognizedClientException', ...accessKey, why: 'SES_ACCESS_KEY_ID does not exist: the operator sets it.' },
  { name: 'InvalidClientTokenId', ...accessKey, why: 'As before.' },
  {
    name: 'InvalidSignatureException',
    ...accessKey,
    why: 'SES_SECRET_ACCESS_KEY is not of this key, or the clock is wrong.',
  },
  { name: 'SignatureDoesNotMatch', ...accessKey, why: 'As before.' },
  { name: 'ExpiredTokenException', ...accessKey, why: 'SES_SESSION_TOKEN has expired: the operator sets it.' },
  { name: 'NotFound', meaning: 'gone', why: 'Of SNS: no such topic.' },
  { name: 'AuthorizationError', meaning: 'transient', denies: 'access', why: 'Of SNS: as AccessDeniedException.' },
  { name: 'any', meaning: 'transient', why: 'An outage, or an answer of something in between.' },
];

export const rowOf = (name: string | undefined): Omit<AnswerRow, 'why'> =>
  answerTable.find((row) => row.name === name) ?? { name: 'any', meaning: 'transient' };
