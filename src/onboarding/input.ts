import { isObject, shown } from '../lib/json-value.ts';
import { isProviderName, type ProviderName, providerNames } from './provider-name.ts';
import { DURATION_FORMS, durationMs } from '../lib/duration.ts';

export interface OnboardTenantInput {
  /** 1 to 128 of A-Z a-z 0-9 . _ - */
  tenantId: string;
  /** Sending domain, lower-case A-labels (RFC 5890). */
  domain: string;
  /** Address on `domain`. */
  fromAddress: string;
  /** The display name of the sender. */
  fromName?: string;
  firstEmail: { recipient: string; subject: string; body: string };
  /** How long the tenant has to publish the DNS records: `72 hours`, `3d`, `90s`. @default '72 hours' */
  verificationWindow?: string;
  /** The steps that a failure or cancellation undoes. @default 'byExit' */
  undo?: UndoScope;
  /** Set by the server (EMAIL_PROVIDER). @default the embedded email service, or another with its API */
  provider?: ProviderName;
}

export const UndoScope = { byExit: 'byExit', everything: 'everything', nothing: 'nothing' } as const;
export type UndoScope = (typeof UndoScope)[keyof typeof UndoScope];

export interface InputFault {
  /** Path of the field: `firstEmail.subject`. */
  field: string;
  problem: string;
}

export const VERIFICATION_WINDOW_DEFAULT = '72 hours';
/** From the registration of the domain, all extensions included. */
export const VERIFICATION_WINDOW_HOURS_MAX = 30 * 24;
const VERIFICATION_WINDOW_MAX_MS = VERIFICATION_WINDOW_HOURS_MAX * 3_600_000;
/** In UTF-16 units: twice the characters that the API accepts. */
const SUBJECT_LENGTH_MAX = 1_996;
const NAME_LENGTH_MAX = 400;
/** The API accepts 1,000,000 bytes in UTF-8, which stay under Temporal's payload limit of 2 MiB when escaped in JSON. */
const BODY_LENGTH_MAX = 1_000_000;

/** Not `.` or `..`, which vanish from the path of a URL. */
const TENANT_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;
/** RFC 1035 section 2.3.4: labels of 63, names of 253 characters; at least two labels, and no number as the last one. */
const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 5321 section 4.1.2: a dot-atom local part of at most 64 characters. */
const LOCAL_PART = /^(?=.{1,64}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/**
 * Every problem of a value that should be an OnboardTenantInput. The Workflow repeats this on each replay, so it may only
 * become more lenient: stricter rules belong in the API (`http/validate-onboarding.ts`).
 */
export function inputFaults(input: unknown): InputFault[] {
  if (!isObject(input)) return [{ field: '', problem: `must be an object; found ${shown(input)}` }];
  const problems: InputFault[] = [];
  const check = (field: string, value: unknown, holds: boolean, expected: string): void => {
    if (!holds) problems.push({ field, problem: `must be ${expected}; found ${shown(value)}` });
  };
  const known = [
    'tenantId',
    'domain',
    'fromAddress',
    'fromName',
    'firstEmail',
    'verificationWindow',
    'undo',
    'provider',
  ];
  for (const field of unknownFields(input, known)) problems.push({ field, problem: 'is not a field of an onboarding' });

  const { tenantId, domain, fromAddress, fromName, firstEmail, verificationWindow, undo, provider } = input;
  check('tenantId', tenantId, matches(TENANT_ID, tenantId), '1 to 128 of A-Z a-z 0-9 . _ -');
  check(
    'domain',
    domain,
    matches(DOMAIN, domain),
    'a domain name in lower-case A-labels, such as mail.example.com or xn--bcher-kva.example',
  );
  check('fromAddress', fromAddress, isAddress(fromAddress), 'an email address');
  if (isAddress(fromAddress) && typeof domain === 'string') {
    check('fromAddress', fromAddress, domainOf(fromAddress) === domain, `an address on ${shown(domain)}`);
  }
  if (fromName !== undefined) {
    const nameHolds = typeof fromName === 'string' && fromName !== '' && fromName.length <= NAME_LENGTH_MAX;
    check('fromName', fromName, nameHolds && !hasControlCharacter(fromName), 'one line of 1 to 200 characters');
  }
  if (isObject(firstEmail)) {
    for (const field of unknownFields(firstEmail, ['recipient', 'subject', 'body'])) {
      problems.push({ field: `firstEmail.${field}`, problem: 'is not a field of the first email' });
    }
    const { recipient, subject, body } = firstEmail;
    check('firstEmail.recipient', recipient, isAddress(recipient), 'an email address');
    const subjectHolds = typeof subject === 'string' && subject.trim() !== '' && subject.length <= SUBJECT_LENGTH_MAX;
    check(
      'firstEmail.subject',
      subject,
      subjectHolds && !hasControlCharacter(subject),
      'one line of 1 to 998 characters',
    );
    const bodyHolds = typeof body === 'string' && body !== '' && body.length <= BODY_LENGTH_MAX;
    check('firstEmail.body', body, bodyHolds, '1 to 1,000,000 bytes of text');
  } else {
    check('firstEmail', firstEmail, false, 'an object with recipient, subject and body');
  }
  if (verificationWindow !== undefined) {
    const windowMs = typeof verificationWindow === 'string' ? (durationMs(verificationWindow) ?? 0) : 0;
    check(
      'verificationWindow',
      verificationWindow,
      windowMs >= 1_000 && windowMs <= VERIFICATION_WINDOW_MAX_MS,
      `a duration from 1 second to 30 days, written as ${DURATION_FORMS}`,
    );
  }
  if (undo !== undefined)
    check(
      'undo',
      undo,
      Object.values<unknown>(UndoScope).includes(undo),
      `one of ${Object.keys(UndoScope).join(', ')}`,
    );
  if (provider !== undefined)
    check('provider', provider, isProviderName(provider), `one of ${providerNames.join(', ')}`);
  return problems;
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 254) return false;
  const at = value.lastIndexOf('@');
  return at > 0 && LOCAL_PART.test(value.slice(0, at)) && DOMAIN.test(domainOf(value));
}

const matches = (pattern: RegExp, value: unknown): boolean => typeof value === 'string' && pattern.test(value);
const hasControlCharacter = (value: string): boolean => /[\u0000-\u001f\u007f]/.test(value);
const unknownFields = (value: Record<string, unknown>, known: readonly string[]): string[] =>
  Object.keys(value).filter((field) => !known.includes(field));
