// Parses the successes of any provider: each reader returns the port's type or throws NotOfContract. What the specification leaves open is
// read by the alternatives of `wire-names.ts`.
import { isObject, type JsonObject } from '../../../lib/json-value.ts';
import { createHash } from 'node:crypto';
import type { Bounce } from '../../../onboarding/provider-event.ts';
import type { AccountProvider, ProviderDomain, ProviderEmail, ProviderRecord } from '../../email-provider.ts';
import { fieldOf, resourceIn } from './wire-names.ts';

/** The answer lacks a field that the onboarding needs. */
export class NotOfContract extends Error {
  override readonly name = 'NotOfContract';
}

/** Ids are part of paths and histories. */
const ID_CHARACTERS_MAX = 500;
/** More than any zone has. */
const NAME_SERVERS_MAX = 20;
const STATUSES: readonly string[] = [
  'unchecked',
  'missing',
  'wrong',
  'found',
  'inconclusive',
] satisfies ProviderRecord['status'][];
const PURPOSES = ['dkim', 'spf', 'return_path', 'dmarc'];

/** `token` is absent only if the provider says that it no longer shows it. A key without an id gets one of its own, always the same. */
export function readKey(content: unknown): { id: string; token?: string; scopes?: string[] } {
  const fields = resource(content, 'key', 'api_key');
  const { scopes: named } = fields;
  const scopes = Array.isArray(named) && named.every((scope) => typeof scope === 'string') ? { scopes: named } : {};
  const token = text(fieldOf(fields, 'token'))?.trim();
  if (token !== undefined && !HEADER_TEXT.test(token)) throw new NotOfContract('a token that no header can carry');
  if (token === undefined) {
    if (!isWithheld(fields)) throw new NotOfContract('a success without token');
    return { id: requiredId(fields, 'key'), ...scopes };
  }
  return { id: idOf(fields, 'key') ?? ownId(token), token, ...scopes };
}

/** RFC 6750 section 2.1 allows less. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;
const OWN_ID = 'sha256-';
const OWN_ID_DIGITS = 16;
const ownId = (token: string): string =>
  OWN_ID + createHash('sha256').update(token).digest('hex').slice(0, OWN_ID_DIGITS);
/** Whether the provider does not know this id of a key. */
export const isOwnId = (keyId: string): boolean => keyId.startsWith(OWN_ID);

/** Any answer will do: what it lacks, an onboarding can do without. */
export function readWebhook(content: unknown): Awaited<ReturnType<AccountProvider['createWebhook']>> {
  const fields = resourceIn(content, 'webhook') ?? {};
  const id = idOf(fields, 'webhook');
  const signingSecret = text(fields['signing_secret']);
  return {
    ...(id !== undefined && { id }),
    ...(signingSecret !== undefined && { signingSecret }),
    isWithheld: isWithheld(fields),
  };
}

export const readSender = (content: unknown): { id: string } => ({
  id: requiredId(resource(content, 'sender'), 'sender'),
});

/** @param asked the id of the domain that was asked for, or the name of a new one */
export function readDomain(
  content: unknown,
  asked: { readonly id: string } | { readonly name: string },
): ProviderDomain {
  const fields = resource(content, 'domain');
  const name = text(fields['name']) ?? ('name' in asked ? asked.name : undefined);
  const domain = name === undefined ? undefined : normalName(name);
  // The specification shows no status in the answer to a creation.
  const status = 'name' in asked ? (statusIn(fields) ?? 'pending') : requiredStatus(fields);
  const records = recordsIn(fields);
  const lastCheckedAt = readTime(fields['last_checked_at']);
  // A provider may omit the records of a verified domain.
  if (records === undefined && status !== 'verified') throw new NotOfContract('a success without records');
  return {
    id: 'id' in asked ? theId(fields, 'domain', asked.id) : requiredId(fields, 'domain'),
    ...(domain !== undefined && { name: domain }),
    status,
    records: (records ?? []).map((record, index) => readRecord(record, index, domain)),
    ...(lastCheckedAt !== null && { lastCheckedAt }),
  };
}

/** The id alone if the answer has no records, which the domain itself has (specification, section Resources). */
export function readNewDomain(content: unknown, asked: { readonly name: string }): ProviderDomain | { id: string } {
  const fields = resource(content, 'domain');
  return recordsIn(fields) === undefined ? { id: requiredId(fields, 'domain') } : readDomain(content, asked);
}

/** @param id of the email that was asked for; undefined for a new one */
export function readEmail(content: unknown, id?: string): ProviderEmail {
  const fields = resource(content, 'email');
  return {
    id: id === undefined ? requiredId(fields, 'email') : theId(fields, 'email', id),
    // The specification: an accepted email is queued.
    status: id === undefined ? (statusIn(fields) ?? 'queued') : requiredStatus(fields),
    deliveredAt: readTime(fields['delivered_at']),
    bounce: readBounce(fieldOf(fields, 'bounce')),
    lastAttempt: readLastAttempt(fields['attempts']),
  };
}

/** The id of the domain with this name, if the list has one: a provider may ignore the filter. */
export function readDomainId(content: unknown, name: string): string | undefined {
  const { data } = resource(content);
  if (!Array.isArray(data)) throw new NotOfContract('a success without data');
  const domain = data.filter(isObject).find((each) => normalName(text(each['name']) ?? '') === name);
  return domain === undefined ? undefined : requiredId(domain, 'domain');
}

/** A proxy's page must not count as a deletion. @param id of what was to be deleted */
export function readDeletion(content: unknown, id: string): void {
  if (content === undefined) return;
  const fields = resourceIn(content) ?? { content };
  const isConfirmed = fields['deleted'] === true || fields['success'] === true || text(fields['id']) === id;
  if (!isConfirmed && Object.keys(fields).length > 0) throw new NotOfContract('a success with content');
}

/** A list, an object of records by their purpose or name, or records by their purpose in the domain itself. */
function recordsIn(fields: JsonObject): readonly unknown[] | undefined {
  const own = PURPOSES.filter((purpose) => fields[purpose] !== undefined).map((purpose) => [purpose, fields[purpose]]);
  const records: unknown = fieldOf(fields, 'records') ?? (own.length > 0 ? Object.fromEntries(own) : undefined);
  if (Array.isArray(records)) return records as readonly unknown[];
  if (!isObject(records)) return undefined;
  return Object.entries(records).flatMap(([key, each]) =>
    (Array.isArray(each) ? (each as readonly unknown[]) : [each]).map((record) =>
      isObject(record) ? { ...fieldOfKey(key, record), ...record } : record,
    ),
  );
}

/** The suggestion that the key of a record gives in an object of records; `cname1` says nothing. */
function fieldOfKey(key: string, record: JsonObject): { purpose: string } | { name: string } | undefined {
  if (PURPOSES.includes(key)) return { purpose: key };
  return /[.@]|_domainkey/.test(key) && fieldOf(record, 'name') === undefined ? { name: key } : undefined;
}

/** Requires what the tenant must publish; everything else is optional. */
function readRecord(record: unknown, index: number, domain: string | undefined): ProviderRecord {
  const fields = isObject(record) ? record : {};
  const value = withPriority(text(fieldOf(fields, 'value')), fields);
  const type = text(fieldOf(fields, 'type')) ?? (value?.startsWith('v=') === true ? 'TXT' : undefined);
  const name = text(fieldOf(fields, 'name'));
  if (type === undefined || name === undefined || value === undefined) {
    throw new NotOfContract(`a success whose record ${index + 1} lacks a type, name or value`);
  }
  const absolute = absoluteName(name, domain);
  const purpose = text(fields['purpose']) ?? likelyPurpose(type, absolute, value);
  const status = statusIn(fields) ?? '';
  // Without another name, the host is the name.
  const host = text(fields['name']) === name ? text(fields['host']) : undefined;
  const zone = text(fields['zone']);
  const { required, found, findings } = fields;
  return {
    purpose,
    type: type.toUpperCase(),
    name: absolute,
    ...(host === undefined ? {} : { host }),
    zone: zone === undefined ? null : normalName(zone),
    ...readNameServers(fields['name_servers']),
    value,
    // Only DMARC is optional.
    required: typeof required === 'boolean' ? required : purpose !== 'dmarc',
    ...(STATUSES.includes(status) ? { status: status as NonNullable<ProviderRecord['status']> } : {}),
    ...(Array.isArray(found) ? { found: texts(found) } : {}),
    findings: Array.isArray(findings) ? findings.flatMap((finding) => readFinding(finding, absolute)) : [],
  };
}

/** Value of an MX record, as a zone file has it. */
function withPriority(value: string | undefined, fields: JsonObject): string | undefined {
  const isMx = text(fieldOf(fields, 'type'))?.toUpperCase() === 'MX';
  const priority = text(fields['priority'])?.trim();
  if (!isMx || priority === undefined || !/^\d{1,5}$/.test(priority)) return value;
  return value === undefined || /^\s*\d+\s/.test(value) ? value : `${priority} ${value}`;
}

/** A name outside the registered domain of the sending domain is relative to the sending domain; so is `@`. */
function absoluteName(name: string, domain: string | undefined): string {
  const normal = normalName(name);
  if (domain === undefined) return normal;
  if (normal === '@') return domain;
  const above = domain.split('.').slice(-2).join('.');
  return normal === above || normal.endsWith(`.${above}`) ? normal : `${normal}.${domain}`;
}

function readNameServers(value: unknown): Pick<ProviderRecord, 'nameServers'> {
  if (!Array.isArray(value)) return {};
  const nameServers = value.slice(0, NAME_SERVERS_MAX).flatMap((server) => {
    const name = isObject(server) ? text(server['name']) : undefined;
    return name === undefined
      ? []
      : [{ name: normalName(name), answered: isObject(server) && server['answered'] !== false }];
  });
  return nameServers.length === 0 ? {} : { nameServers };
}

/** Findings only inform: a malformed one is left out. */
function readFinding(finding: unknown, recordName: string): ProviderRecord['findings'][number][] {
  const fields = isObject(finding) ? finding : { fix: finding };
  const code = text(fields['code']);
  const fix = text(fields['fix']) ?? text(fields['message']) ?? code;
  if (fix === undefined) return [];
  const found = Array.isArray(fields['found']) ? fields['found'] : [fields['found']];
  const publish = isObject(fields['publish']) ? fields['publish'] : {};
  const [type, host, value] = ['type', 'host', 'value'].map((field) => text(publish[field]));
  const isWhole = type !== undefined && host !== undefined && value !== undefined;
  return [
    {
      code: code ?? 'unknown',
      name: text(fields['name']) ?? recordName,
      found: texts(found),
      fix,
      ...(isWhole ? { publish: { type, host, value } } : {}),
    },
  ];
}

function likelyPurpose(type: string, name: string, value: string): string {
  if (name.includes('_domainkey')) return 'dkim';
  if (name.startsWith('_dmarc')) return 'dmarc';
  // Providers ask for CNAME records for keys and for the return path.
  if (['MX', 'CNAME'].includes(type.toUpperCase())) return 'return_path';
  return value.startsWith('v=spf1') ? 'spf' : 'unknown';
}

/** An object, or the reason alone. */
function readBounce(bounce: unknown): Bounce | null {
  const fields: JsonObject = isObject(bounce) ? bounce : { reason: bounce };
  if (!isObject(bounce) && text(bounce) === undefined) return null;
  const diagnostic = text(fields['diagnostic']) ?? null;
  return {
    category: text(fields['category']) ?? 'unknown',
    permanentFor: readPermanentFor(fields['permanent_for']),
    reason: text(fieldOf(fields, 'reason')) ?? diagnostic ?? 'The provider gives no reason',
    smtpCode: readSmtpCode(fields['smtp_code']),
    enhancedCode: text(fields['enhanced_code']) ?? null,
    diagnostic,
    remoteMta: text(fields['remote_mta']) ?? null,
  };
}

const readPermanentFor = (value: unknown): 'address' | 'message' | null =>
  value === 'address' || value === 'message' ? value : null;

/** RFC 5321 section 4.2. */
function readSmtpCode(value: unknown): number | null {
  const code = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof code === 'number' && Number.isInteger(code) && code >= 200 && code <= 599 ? code : null;
}

function readLastAttempt(attempts: unknown): string | null {
  const last: unknown = Array.isArray(attempts) ? attempts.at(-1) : undefined;
  if (!isObject(last)) return null;
  const words = [text(last['outcome']), text(last['diagnostic'])].filter((word) => word !== undefined);
  return words.length === 0 ? null : words.join(': ');
}

/** RFC 3339. */
function readTime(value: unknown): string | null {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d[Tt ]/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : null;
}

/** A cache in between may answer with another resource. */
function theId(fields: JsonObject, kind: string, asked: string): string {
  const id = requiredId(fields, kind);
  if (id !== asked) throw new NotOfContract('a success about another id');
  return id;
}

/** `id`, or `domain_id` of a domain. */
function idOf(fields: JsonObject, kind: string): string | undefined {
  const id = text(fields['id']) ?? text(fields[`${kind}_id`]);
  return id !== undefined && id.length <= ID_CHARACTERS_MAX ? id : undefined;
}

function requiredId(fields: JsonObject, kind: string): string {
  const id = idOf(fields, kind);
  if (id === undefined) throw new NotOfContract('a success without id');
  return id;
}

const isWithheld = (fields: JsonObject): boolean => fields['secret_unavailable'] === true;

function resource(content: unknown, ...names: readonly string[]): JsonObject {
  const fields = resourceIn(content, ...names);
  if (fields === undefined) throw new NotOfContract('a success that is not a JSON object');
  return fields;
}

/** Some providers write `VERIFIED`. */
const statusIn = (fields: JsonObject): string | undefined => text(fields['status'])?.trim().toLowerCase();

function requiredStatus(fields: JsonObject): string {
  const status = statusIn(fields);
  if (status === undefined) throw new NotOfContract('a success without status');
  return status;
}

/** Some providers number their ids. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

const texts = (values: readonly unknown[]): string[] =>
  values.filter((value): value is string => typeof value === 'string');

const normalName = (name: string): string => name.toLowerCase().replace(/\.$/, '');
