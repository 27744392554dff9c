import { isObject } from '../../../lib/json-value.ts';
import { fieldsIn, flagIn, itemsIn, textIn, timeOf } from '../../answer-fields.ts';
import { bounceOf } from '../../bounce-words.ts';
import type { Bounce } from '../../../onboarding/provider-event.ts';
import type { ProviderDomain, ProviderRecord } from '../../email-provider.ts';

/** The name of the metadata of an email that has its intent: at most 20 characters. */
export const INTENT_METADATA = 'sendoff';

/** IDs of servers, domains, webhooks and bounces are numbers. */
function numberIn(value: unknown, field: string): string | undefined {
  const found = isObject(value) ? value[field] : undefined;
  return typeof found === 'number' && Number.isSafeInteger(found) ? String(found) : undefined;
}

/** Undefined if the content says that nothing is wrong. */
export function readProblem(content: unknown): { code: string; message: string | undefined } | undefined {
  const code = numberIn(content, 'ErrorCode');
  return code === undefined || code === '0' ? undefined : { code, message: textIn(content, 'Message') };
}

export interface Server {
  readonly id: string;
  readonly name: string;
  /** Undefined if a person has removed every token. */
  readonly token: string | undefined;
}

export function readServer(content: unknown): Server | undefined {
  const [id, name] = [numberIn(content, 'ID'), textIn(content, 'Name')];
  const token = itemsIn(content, 'ApiTokens')?.find((one) => typeof one === 'string' && one !== '');
  return id === undefined || name === undefined ? undefined : { id, name, token: token as string | undefined };
}

/** Of a new server: without a token it is of no use. */
export function readNewServer(content: unknown): { id: string; token: string } | undefined {
  const { id, token } = readServer(content) ?? {};
  return id === undefined || token === undefined ? undefined : { id, token };
}

export const readServers = (content: unknown): Server[] | undefined =>
  itemsIn(content, 'Servers')?.flatMap((item) => readServer(item) ?? []);

export const readWebhooks = (content: unknown): { id: string; url: string }[] | undefined =>
  itemsIn(content, 'Webhooks')?.flatMap((item) => {
    const [id, url] = [numberIn(item, 'ID'), textIn(item, 'Url')];
    return id === undefined || url === undefined ? [] : [{ id, url }];
  });

export function readId(content: unknown): { id: string } | undefined {
  const id = numberIn(content, 'ID');
  return id === undefined ? undefined : { id };
}

/** A page of the account's domains. */
export const readDomains = (content: unknown): { id: string; name: string }[] | undefined =>
  itemsIn(content, 'Domains')?.flatMap((item) => {
    const [id, name] = [numberIn(item, 'ID'), textIn(item, 'Name')];
    return id === undefined || name === undefined ? [] : [{ id, name: name.toLowerCase() }];
  });

/** Undefined without an id or without a DKIM record, which a tenant could not publish. */
export function readDomain(content: unknown): ProviderDomain | undefined {
  const [id, name] = [numberIn(content, 'ID'), textIn(content, 'Name')?.toLowerCase()];
  const isSigned = flagIn(content, 'DKIMVerified');
  // A key that is not verified yet is the pending one.
  const dkim =
    (isSigned ? keyOf(content, 'DKIM') : undefined) ?? keyOf(content, 'DKIMPending') ?? keyOf(content, 'DKIM');
  if (id === undefined || name === undefined || dkim === undefined) return undefined;
  const [from, to] = [textIn(content, 'ReturnPathDomain'), textIn(content, 'ReturnPathDomainCNAMEValue')];
  const returnPath = from === undefined || to === undefined ? [] : [recordOf('return_path', 'CNAME', from, to)];
  const isVerified = isSigned && (returnPath.length === 0 || flagIn(content, 'ReturnPathDomainVerified'));
  return { id, name, status: isVerified ? 'verified' : 'unverified', records: [dkim, ...returnPath] };
}

function keyOf(content: unknown, which: string): ProviderRecord | undefined {
  const [host, value] = [textIn(content, `${which}Host`), textIn(content, `${which}TextValue`)];
  return host === undefined || value === undefined ? undefined : recordOf('dkim', 'TXT', host, value);
}

const recordOf = (purpose: string, type: string, name: string, value: string): ProviderRecord => ({
  ...{ purpose, type, value },
  name: name.toLowerCase().replace(/\.$/, ''),
  ...{ required: true, findings: [] },
});

export function readSent(content: unknown): { id: string } | undefined {
  const id = textIn(content, 'MessageID');
  return id === undefined ? undefined : { id };
}

/** The first message with this intent: the search may find more than it was asked for. Null if there is none. */
export function readFound(content: unknown, intentId: string): { id: string } | null | undefined {
  const messages = itemsIn(content, 'Messages');
  const found = messages?.find((message) => textIn(fieldsIn(message, 'Metadata'), INTENT_METADATA) === intentId);
  return messages && (readSent(found) ?? null);
}

/** `deliveredAt`: undefined if it was not delivered. `last`: the latest event, in words. */
export function readDetails(content: unknown) {
  const [id, status = 'unknown'] = [textIn(content, 'MessageID'), textIn(content, 'Status')];
  const events = itemsIn(content, 'MessageEvents');
  if (id === undefined || events === undefined) return undefined;
  const latest = (type: string) => events.findLast((event) => textIn(event, 'Type') === type);
  const delivered = latest('Delivered');
  const bounced = latest('Bounced');
  return {
    ...{ id, status: status.toLowerCase() },
    deliveredAt: delivered === undefined ? undefined : timeOf(textIn(delivered, 'ReceivedAt')),
    bounceId: bounceIdIn(fieldsIn(bounced, 'Details')),
    last: wordsOf(events.at(-1)),
  };
}

/** The documents show it as text, the SDK's types as a number. */
const bounceIdIn = (details: unknown): string | undefined =>
  numberIn(details, 'BounceID') ?? /^\d{1,18}$/.exec(textIn(details, 'BounceID') ?? '')?.[0];

function wordsOf(event: unknown): string | null {
  const type = textIn(event, 'Type');
  const details = fieldsIn(event, 'Details');
  const said = textIn(details, 'DeliveryMessage') ?? textIn(details, 'Summary');
  return type === undefined ? null : [type, said].filter((one) => one !== undefined).join(': ');
}

/**
 * The types with which an email ends. Others, as `AutoResponder` or `Transient`, and words that are new, are none of its ends.
 * https://postmarkapp.com/developer/api/bounce-api#bounce-types
 */
const categories: Readonly<Record<string, string>> = {
  HardBounce: 'recipient',
  BadEmailAddress: 'recipient',
  SoftBounce: 'infrastructure',
  DnsError: 'infrastructure',
  SpamNotification: 'content',
  VirusNotification: 'content',
  Blocked: 'policy',
  DMARCPolicy: 'policy',
  ManuallyDeactivated: 'suppressed',
  Unknown: 'unknown',
};

/** An enhanced status code of the receiver (RFC 3463) says more than the type. */
const ENHANCED = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])/;
const REPLY = /(?<![\d.])([245]\d\d)(?=[ -])/;

/** Null if the bounce is not the end of the email. */
export function readBounce(content: unknown): { bounce: Bounce | null; type: string } | undefined {
  const type = textIn(content, 'Type');
  if (type === undefined) return undefined;
  const named = Object.hasOwn(categories, type) ? categories[type] : undefined;
  if (named === undefined) return { bounce: null, type };
  const diagnostic = textIn(content, 'Details') ?? null;
  const [enhancedCode = null, , subject, detail] = ENHANCED.exec(diagnostic ?? '') ?? [];
  const smtpCode = REPLY.exec(diagnostic ?? '')?.[1];
  const category = subject === '2' && detail === '2' ? 'mailbox_full' : named;
  return {
    type,
    bounce: {
      category,
      permanentFor: flagIn(content, 'Inactive') || category === 'recipient' ? 'address' : null,
      reason: `${type}: ${textIn(content, 'Description') ?? 'Postmark gives no reason'}`,
      smtpCode: smtpCode === undefined ? null : Number(smtpCode),
      ...{ enhancedCode, diagnostic, remoteMta: null },
    },
  };
}

/** Of a recipient that Postmark refused before there was an email (ErrorCode 406). */
export const suppressed: Bounce = bounceOf({
  ...{ type: 'Permanent', subType: 'Suppressed' },
  reason:
    'Postmark does not send to this address, after an earlier bounce or complaint, or because a person has deactivated it',
});
