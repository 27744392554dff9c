// What the values of the email service's settings mean. Each function throws an Error whose message is the expected form.
import { isIP } from 'node:net';
import { type ApiToken, apiTokens } from '../lib/api-tokens.ts';
import { RETURN_PATH_LABEL_LENGTH_MAX } from '../lib/mail-rules/sending-domain-fault.ts';
import { BY_BOUNCE_RATE } from './resources/account.ts';
import { LIMIT_MAX, type SendingLimits, WINDOWS } from './resources/sending-limits.ts';

/** An operator token shorter than this could be guessed over the network. */
const OPERATOR_TOKEN_LENGTH_MIN = 32;

export function operatorTokens(value: string): readonly ApiToken[] {
  const tokens = apiTokens(value, OPERATOR_TOKEN_LENGTH_MIN);
  if (tokens.some(({ name }) => name === BY_BOUNCE_RATE))
    throw new Error(`another name than ${BY_BOUNCE_RATE}, which is that of the email service in pauses of accounts`);
  return tokens;
}

export function rateOrOff(value: string): number | undefined {
  if (value === 'off') return undefined;
  const percent = /^\d+(?:\.\d+)?%$/.test(value) ? Number(value.slice(0, -1)) : 0;
  if (percent <= 0 || percent > 100) throw new Error('off, or a percentage above 0%');
  return percent / 100;
}

/** With those of the texts, a body of some 50 MB, of which several are in memory. */
const ATTACHMENT_MEGABYTES_MAX = 25;

/** @returns bytes */
export function attachmentBytes(value: string): number {
  const megabytes = /^\d+MB$/.test(value) ? Number(value.slice(0, -2)) : Infinity;
  if (megabytes > ATTACHMENT_MEGABYTES_MAX)
    throw new Error(`0MB to ${String(ATTACHMENT_MEGABYTES_MAX)}MB, in whole megabytes`);
  return megabytes * 1_000_000;
}

export function sendingLimits(value: string): SendingLimits {
  const given = new Map(
    value.split(',').map((part) => {
      const [limit = '', window = ''] = part.trim().split('/');
      return [window, limit];
    }),
  );
  const limits = WINDOWS.map(({ name }) => [name, Number(given.get(name))] as const);
  const isLimit = (limit: number): boolean => Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX;
  if (given.size !== WINDOWS.length || !limits.every(([, limit]) => isLimit(limit)))
    throw new Error(`three whole numbers from 1 to ${String(LIMIT_MAX)}, each with its window`);
  return Object.fromEntries(limits) as unknown as SendingLimits;
}

export function returnPathLabel(value: string): string {
  if (value.length > RETURN_PATH_LABEL_LENGTH_MAX) {
    throw new Error(
      `one DNS label of at most ${RETURN_PATH_LABEL_LENGTH_MAX} characters, so that bounce addresses fit (RFC 5321)`,
    );
  }
  return label(value);
}

function label(value: string): string {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(value)) {
    throw new Error('one DNS label: lower-case letters, digits and inner hyphens, at most 63');
  }
  return value;
}

export function hostname(value: string): string {
  const labels = value.toLowerCase().split('.');
  const valid = labels.length > 1 && value.length <= 253 && isIP(value) === 0;
  if (!valid) throw new Error('a host name with at least two labels, not an address');
  for (const each of labels) label(each);
  return value.toLowerCase();
}

export function spfMechanism(value: string): string {
  // A qualifier or `all` would change what the published record says about all other servers.
  if (
    !/^(?:ip4:[\d.]+(?:\/\d{1,2})?|ip6:[\da-fA-F:.]+(?:\/\d{1,3})?|include:[\w.-]+|a:[\w.-]+|mx:[\w.-]+)(?: (?:ip4|ip6|include|a|mx):[\w.:/-]+)*$/.test(
      value,
    )
  ) {
    throw new Error('SPF mechanisms without qualifier, ip4:, ip6:, include:, a: or mx:, separated by one space');
  }
  return value;
}

export function smtpUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if ((url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') || url.hostname === '') {
    throw new Error('an smtp or smtps URL with a host');
  }
  return value;
}
