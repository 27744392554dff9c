// What SES's errors mean, by their names, which its document lists per operation. A test compares docs/providers.md with this table.
import type { Meaning, ProviderError } from '../../provider-error.ts';

type Row = readonly [
  /** The exception, or `any`. */
  name: string,
  meaning: Meaning,
  why: string,
  /** The key, not what it asks for, is the cause. */
  denies?: ProviderError['denies'],
];

export const answerTable: readonly Row[] = [
  ['NotFoundException', 'gone', 'Nothing has this name.'],
  ['AlreadyExistsException', 'exists', 'The resource exists; its tag says whose it is.'],
  ['MessageRejected', 'refused', 'The content; the domain or the account are looked at first.'],
  ['MailFromDomainNotVerifiedException', 'notVerified', 'The MX record of the MAIL FROM domain is missing.'],
  ['BadRequestException', 'refused', 'The same content stays invalid.'],
  ['TooManyRequestsException', 'transient', 'Too many requests to the account.'],
  ['LimitExceededException', 'accountBlocked', 'A quota of the account is used up.'],
  ['AccountSuspendedException', 'accountBlocked', 'Amazon has stopped the account: the operator answers its case.'],
  ['SendingPausedException', 'accountBlocked', 'Sending is paused: the operator lets it go on.'],
  [
    'ConcurrentModificationException',
    'transient',
    'Another request changes the same resource; this one had no effect.',
  ],
  ['AccessDeniedException', 'transient', 'The key has no permission: the operator adds it.', 'access'],
  [
    'UnrecognizedClientException',
    'accountBlocked',
    'SES_ACCESS_KEY_ID does not exist: the operator sets it.',
    'credential',
  ],
  ['InvalidClientTokenId', 'accountBlocked', 'As before.', 'credential'],
  [
    'InvalidSignatureException',
    'accountBlocked',
    'SES_SECRET_ACCESS_KEY is not of this key, or the clock is wrong.',
    'credential',
  ],
  ['SignatureDoesNotMatch', 'accountBlocked', 'As before.', 'credential'],
  ['ExpiredTokenException', 'accountBlocked', 'SES_SESSION_TOKEN has expired: the operator sets it.', 'credential'],
  ['NotFound', 'gone', 'Of SNS: no such topic.'],
  ['AuthorizationError', 'transient', 'Of SNS: as AccessDeniedException.', 'access'],
  ['any', 'transient', 'An outage, or an answer of something in between.'],
];

export function meaningOf(name: string | undefined): Pick<ProviderError, 'meaning' | 'denies'> {
  const [, meaning = 'transient', , denies] = answerTable.find(([known]) => known === name) ?? [];
  return { meaning, denies };
}
