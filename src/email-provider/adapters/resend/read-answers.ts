import { isObject } from '../../../lib/json-value.ts';
import { itemsIn, textIn } from '../../answer-fields.ts';
import { bounceOf } from '../../bounce-words.ts';
import type { AccountWebhook } from '../../operator-account.ts';
import { subscribedEvents } from './read-webhook.ts';
import type { ProviderDomain, ProviderEmail, ProviderRecord } from '../../email-provider.ts';

/** The `name` and `message` of an error answer. */
export const readProblem = (content: unknown): { name: string | undefined; message: string | undefined } => ({
  name: textIn(content, 'name'),
  message: textIn(content, 'message'),
});

export const readId = (content: unknown): string | undefined => textIn(content, 'id');

export function readKey(content: unknown): { id: string; token: string } | undefined {
  const [id, token] = [textIn(content, 'id'), textIn(content, 'token')];
  return id === undefined || token === undefined ? undefined : { id, token };
}

export interface Listed {
  readonly id: string;
  readonly name: string;
}

export function readListed(item: unknown): Listed | undefined {
  const [id, name] = [textIn(item, 'id'), textIn(item, 'name')];
  return id === undefined || name === undefined ? undefined : { id, name };
}

/** An item of the list of webhooks. */
export function readWebhook(item: unknown): AccountWebhook | undefined {
  const [id, url, status] = [textIn(item, 'id'), textIn(item, 'endpoint'), textIn(item, 'status')];
  if (id === undefined || url === undefined) return undefined;
  const events = itemsIn(item, 'events') ?? [];
  const missing = subscribedEvents.filter((event) => !events.includes(event));
  const faults = [
    ...(status === 'enabled' ? [] : [`its status is ${status ?? 'unknown'}: enable it in Resend`]),
    ...(missing.length === 0 ? [] : [`it lacks the events ${missing.join(', ')}: add them in Resend`]),
  ];
  return { id, url, ...(faults.length > 0 && { fault: `The webhook to ${url}: ${faults.join('; ')}` }) };
}

/** An answer without a secret is one too: the webhook exists, and Resend shows its secret. */
export function readNewWebhook(content: unknown): { secret?: string } | undefined {
  const secret = textIn(content, 'signing_secret');
  return readId(content) === undefined ? undefined : { ...(secret !== undefined && { secret }) };
}

/** A page of a list; undefined if it is none. */
export function readPage<Item>(
  content: unknown,
  read: (item: unknown) => Item | undefined,
): { items: readonly Item[]; hasMore: boolean } | undefined {
  const data = itemsIn(content, 'data');
  if (!isObject(content) || data === undefined) return undefined;
  return { items: data.flatMap((item) => read(item) ?? []), hasMore: content['has_more'] === true };
}

/** Undefined without an id or without records, which a tenant could not publish. */
export function readDomain(content: unknown): ProviderDomain | undefined {
  const [id, name, status] = [textIn(content, 'id'), textIn(content, 'name'), textIn(content, 'status')];
  const listed = itemsIn(content, 'records');
  if (id === undefined || name === undefined || listed === undefined) return undefined;
  const records = listed.flatMap((record) => readRecord(record, name.toLowerCase()));
  if (!records.some(({ purpose }) => purpose === 'dkim')) return undefined;
  return { id, name: name.toLowerCase(), status: status ?? 'unknown', records };
}

function readRecord(record: unknown, domain: string): ProviderRecord[] {
  const [type, name, value] = [textIn(record, 'type'), textIn(record, 'name'), textIn(record, 'value')];
  if (!isObject(record) || type === undefined || name === undefined || value === undefined) return [];
  const purpose = purposeOf(record['record'], type);
  const priority = typeof record['priority'] === 'number' ? record['priority'] : undefined;
  return [
    {
      purpose,
      type,
      name: absoluteName(name, domain),
      value: type === 'MX' && priority !== undefined ? `${priority} ${value}` : unquoted(value),
      required: purpose === 'dkim' || purpose === 'spf' || purpose === 'return_path',
      findings: [],
    },
  ];
}

/** The value of a TXT record may come as a zone file has it. */
const unquoted = (value: string): string => /^"([^"]*)"$/.exec(value)?.[1] ?? value;

function purposeOf(record: unknown, type: string): string {
  if (record === 'DKIM') return 'dkim';
  if (record === 'SPF') return type === 'MX' ? 'return_path' : 'spf';
  return typeof record === 'string' ? record.toLowerCase() : 'unknown';
}

/**
 * Names are relative to the registrable domain: `resend._domainkey.mail` of mail.acme.com. Its labels that the record's name repeats at its end
 * show where that domain begins.
 */
export function absoluteName(given: string, domain: string): string {
  const name = given.toLowerCase().replace(/\.$/, '');
  if (name === domain || name.endsWith(`.${domain}`)) return name;
  const labels = domain.split('.');
  for (let repeated = labels.length - 1; repeated > 0; repeated--) {
    const prefix = labels.slice(0, repeated).join('.');
    if (name === prefix || name.endsWith(`.${prefix}`)) return `${name}.${labels.slice(repeated).join('.')}`;
  }
  return `${name}.${domain}`;
}

/** An email that was opened, or complained about, was delivered before. */
const DELIVERED: readonly string[] = ['delivered', 'opened', 'clicked', 'complained'];

/** Resend does not say in this answer why an email bounced, nor when it was delivered. */
const bounces: Readonly<Record<string, string>> = {
  bounced: 'The receiving mail server refused the email; Resend shows its answer in the dashboard',
  suppressed: 'The address is on the suppression list of the Resend account, so the email was not sent',
};

/** `failed` is about the account, so it is not final; nor is a word that is new. */
export function readEmail(content: unknown): ProviderEmail | undefined {
  const [id, event] = [textIn(content, 'id'), textIn(content, 'last_event')];
  if (id === undefined || event === undefined) return undefined;
  const reason = Object.hasOwn(bounces, event) ? bounces[event] : undefined;
  const status = DELIVERED.includes(event) ? 'delivered' : reason === undefined ? event : 'bounced';
  const bounce = reason === undefined ? null : bounceOf({ reason });
  return { id, status, deliveredAt: null, bounce, lastAttempt: event.replaceAll('_', ' ') };
}
