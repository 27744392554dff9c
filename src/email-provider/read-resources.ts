// Parses the successes of any provider: each reader returns the port's type or throws NotOfContract.
import type { ProviderBounce, ProviderDomain, ProviderEmail, ProviderRecord } from './email-provider.ts';

/** The answer lacks a field that the onboarding needs. */
export class NotOfContract extends Error {
  override readonly name = 'NotOfContract';
}

type Fields = Readonly<Record<string, unknown>>;

/** Ids are part of paths and histories. */
const ID_CHARACTERS_MAX = 500;
/** More than any zone has. */
const NAME_SERVERS_MAX = 20;
const STATUSES: readonly string[] = ['missing', 'wrong', 'found', 'inconclusive'] satisfies ProviderRecord['status'][];

/** @param secret the field that is shown only once */
export function readCreated(content: unknown, secret?: string): { id: string; secret?: string } {
  const fields = object(content);
  const shown = secret === undefined ? undefined : text(fields[secret]);
  return { id: requiredText(fields, 'id'), ...(shown === undefined ? {} : { secret: shown }) };
}

export function readKey(content: unknown): ReturnType<typeof readCreated> & { scopes?: string[] } {
  const { scopes } = object(content);
  const isShown = Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string');
  return { ...readCreated(content, 'token'), ...(isShown && { scopes }) };
}

/** @param id of the domain that was asked for; undefined for a new one */
export function readDomain(content: unknown, id?: string): ProviderDomain {
  const fields = object(content);
  const name = normalName(requiredText(fields, 'name'));
  const status = requiredText(fields, 'status');
  const { records } = fields;
  // A provider may omit the records of a verified domain.
  if (!Array.isArray(records) && status !== 'verified') throw new NotOfContract('a success without records');
  return {
    id: theId(fields, id),
    name,
    status,
    records: (Array.isArray(records) ? records : []).map((record, index) => readRecord(record, index)),
  };
}

/** @param id of the email that was asked for; undefined for a new one */
export function readEmail(content: unknown, id?: string): ProviderEmail {
  const fields = object(content);
  return {
    id: theId(fields, id),
    status: requiredText(fields, 'status'),
    deliveredAt: readTime(fields['delivered_at']),
    bounce: isFields(fields['bounce']) ? readBounce(fields['bounce']) : null,
    lastAttempt: readLastAttempt(fields['attempts']),
  };
}

/** The id of the domain with this name, if the list has one: a provider may ignore the filter. */
export function readDomainId(content: unknown, name: string): string | undefined {
  const { data } = object(content);
  if (!Array.isArray(data)) throw new NotOfContract('a success without data');
  const domain = data.filter(isFields).find((each) => normalName(text(each['name']) ?? '') === name);
  return domain === undefined ? undefined : requiredText(domain, 'id');
}

/** Requires what the tenant must publish; everything else is optional. */
function readRecord(record: unknown, index: number): ProviderRecord {
  const fields = isFields(record) ? record : {};
  const [type, name, value] = ['type', 'name', 'value'].map((field) => text(fields[field]));
  if (type === undefined || name === undefined || value === undefined) {
    throw new NotOfContract(`a success whose record ${index + 1} lacks a type, name or value`);
  }
  const absolute = normalName(name);
  const purpose = text(fields['purpose']) ?? likelyPurpose(type, absolute, value);
  const status = text(fields['status']) ?? '';
  const [host, zone] = [text(fields['host']), text(fields['zone'])];
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
    status: STATUSES.includes(status) ? (status as ProviderRecord['status']) : 'inconclusive',
    ...(Array.isArray(found) ? { found: texts(found) } : {}),
    findings: Array.isArray(findings) ? findings.flatMap((finding) => readFinding(finding, absolute)) : [],
  };
}

function readNameServers(value: unknown): Pick<ProviderRecord, 'nameServers'> {
  if (!Array.isArray(value)) return {};
  const nameServers = value.slice(0, NAME_SERVERS_MAX).flatMap((server) => {
    const name = isFields(server) ? text(server['name']) : undefined;
    return name === undefined
      ? []
      : [{ name: normalName(name), answered: isFields(server) && server['answered'] !== false }];
  });
  return nameServers.length === 0 ? {} : { nameServers };
}

/** Findings only inform: a malformed one is left out. */
function readFinding(finding: unknown, recordName: string): ProviderRecord['findings'][number][] {
  const fields = isFields(finding) ? finding : { fix: finding };
  const code = text(fields['code']);
  const fix = text(fields['fix']) ?? text(fields['message']) ?? code;
  if (fix === undefined) return [];
  const found = Array.isArray(fields['found']) ? fields['found'] : [fields['found']];
  const publish = isFields(fields['publish']) ? fields['publish'] : {};
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
  if (type.toUpperCase() === 'MX') return 'return_path';
  return value.startsWith('v=spf1') ? 'spf' : 'unknown';
}

function readBounce(fields: Fields): ProviderBounce {
  return {
    category: text(fields['category']) ?? 'unknown',
    permanentFor: readPermanentFor(fields['permanent_for']),
    reason: text(fields['reason']) ?? text(fields['diagnostic']) ?? 'The provider gives no reason',
    smtpCode: readSmtpCode(fields['smtp_code']),
    enhancedCode: text(fields['enhanced_code']) ?? null,
    diagnostic: text(fields['diagnostic']) ?? null,
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
  if (!isFields(last)) return null;
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
function theId(fields: Fields, asked: string | undefined): string {
  const id = requiredText(fields, 'id');
  if (asked !== undefined && id !== asked) throw new NotOfContract('a success about another id');
  return id;
}

function object(content: unknown): Fields {
  if (!isFields(content)) throw new NotOfContract('a success that is not a JSON object');
  return content;
}

function requiredText(fields: Fields, field: string): string {
  const value = text(fields[field]);
  if (value === undefined || (field === 'id' && value.length > ID_CHARACTERS_MAX)) {
    throw new NotOfContract(`a success without ${field}`);
  }
  return value;
}

/** Some providers number their ids. */
function text(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

const texts = (values: readonly unknown[]): string[] =>
  values.filter((value): value is string => typeof value === 'string');

const normalName = (name: string): string => name.toLowerCase().replace(/\.$/, '');
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
