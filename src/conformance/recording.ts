// A recording holds what exchanges with a provider looked like, and nothing of the account: the names of all fields, the type and length of
// each value, and of some fields the value, if it is a word. A user can pass it on; the official document and the simulation are held against it.
import { readFileSync } from 'node:fs';
import { isObject } from '../lib/json-value.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { RelayedExchange, RelayReply } from '../dev/relay.ts';
import type { TargetReport } from './report.ts';

export interface RecordedExchange {
  /** `POST /domains/{id}/verify`; of the query only the names. */
  readonly operation: string;
  readonly request?: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: unknown;
}

export interface Recording extends Pick<TargetReport, 'provider' | 'target' | 'version' | 'at'> {
  readonly exchanges: readonly RecordedExchange[];
}

/** Fields whose values are words of the provider. */
const WORD_FIELDS =
  /^(?:object|status|last_event|record|type|region|code|ErrorCode|MessageStream|DKIMUpdateStatus|Type|Status|VerificationStatus|MailFromDomainStatus|IdentityType|SigningAttributesOrigin|BehaviorOnMxFailure|SendingStatus|ResourceType|MatchingEventTypes|RESOURCE_TYPE)$/;
/** Of an error answer. */
const ERROR_FIELDS = /^(?:name|statusCode)$/;
/** Parts of the paths that the adapters call: every other one is an id or a name of the account. */
const PATH_WORDS = new Set([
  ...['domains', 'verify', 'emails', 'api-keys', 'webhooks'],
  ...['server', 'servers', 'verifyDKIM', 'verifyReturnPath', 'email', 'messages', 'outbound', 'details', 'bounces'],
  ...['v2', 'account', 'tenants', 'get', 'delete', 'resources', 'list', 'configuration-sets', 'event-destinations'],
  ...['identities', 'mail-from', 'dkim', 'signing', 'outbound-emails'],
]);
/** Not an address or an id as the name of a field. */
const FIELD = /^[A-Za-z_][A-Za-z_-]{0,59}$/;
/** Neither an id, nor a name of the account, nor an address. */
const WORD = /^[A-Za-z][A-Za-z_ -]{0,39}$/;
const HEADERS = /^(?:content-type|retry-after|ratelimit-.*|x-amzn-errortype)$/;
const HEADER_VALUE = /^[\w;=., /-]{0,80}$/;
const ERROR_STATUS_MIN = 400;

/** @param answer.body that of a provider, which may be anything */
export function recorded({ method, path, requestBody }: RelayedExchange, answer: RelayReply): RecordedExchange {
  const isError = answer.status >= ERROR_STATUS_MIN;
  const headers = Object.entries(answer.headers ?? {})
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([name, value]) => HEADERS.test(name) && HEADER_VALUE.test(value));
  return {
    operation: operationOf(method, path),
    ...(requestBody !== '' && { request: shapeOf(requestBody, false) }),
    status: answer.status,
    headers: Object.fromEntries(headers),
    answer: shapeOf(answer.body, isError),
  };
}

function operationOf(method: string, path: string): string {
  const { pathname, searchParams } = new URL(path, 'http://provider');
  const parts = pathname.split('/').map((part) => (part === '' || PATH_WORDS.has(part) ? part : '{id}'));
  const query = [...new Set(searchParams.keys())].toSorted().join('&');
  return `${method} ${parts.join('/')}${query === '' ? '' : `?${query}`}`;
}

function shapeOf(body: string, isError: boolean): unknown {
  const content = parseJson(body);
  return content === undefined ? `text(${body.length})` : scrubbed(content, '', isError);
}

function scrubbed(value: unknown, field: string, isError: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, field, isError));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [FIELD.test(name) ? name : '{name}', scrubbed(item, name, isError)]),
    );
  const isWordField = WORD_FIELDS.test(field) || (isError && ERROR_FIELDS.test(field));
  if (typeof value === 'string') return isWordField && WORD.test(value) ? value : `string(${value.length})`;
  return typeof value === 'number' && !isWordField ? 0 : value;
}

/** One object of JSON a line, the first about the run; exchanges that look the same once. */
export function recordingText({ exchanges, ...about }: Recording, secrets: readonly string[]): string {
  const lines = new Set([about, ...exchanges].map((line) => JSON.stringify(line)));
  const text = `${[...lines].join('\n')}\n`;
  for (const secret of secrets)
    if (secret !== '' && text.includes(secret)) throw new Error('The recording would show a credential: not written');
  return text;
}

export function readRecording(file: string): Recording {
  const [about, ...exchanges] = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line));
  if (!isObject(about) || typeof about['provider'] !== 'string') throw new Error(`${file} is no recording`);
  return { ...(about as unknown as Omit<Recording, 'exchanges'>), exchanges: exchanges as RecordedExchange[] };
}

/** As it passed, for the judge of an official document. */
export const exchangeOf = ({ operation, request, status, headers, answer }: RecordedExchange): RelayedExchange => {
  const [method = '', path = ''] = operation.split(' ');
  return {
    ...{ method, path, requestHeaders: {} },
    requestBody: request === undefined ? '' : JSON.stringify(request),
    answer: { status, headers, body: JSON.stringify(answer) },
  };
};

/** A sentence for each difference between what a provider answered and what its simulation answers. */
export function differences(live: readonly RecordedExchange[], simulated: readonly RecordedExchange[]): string[] {
  const known = byOperation(simulated);
  return [...byOperation(live)].flatMap(([key, seen]) => {
    const here = known.get(key);
    if (here === undefined) return [`${key}: the simulation never answers so`];
    const named = (of: ReadonlySet<string>, others: ReadonlySet<string>, words: string): string[] =>
      [...of].filter((part) => !others.has(part)).map((part) => `${key}: ${part} ${words}`);
    return [
      ...named(seen.fields, here.fields, 'is not in the simulation'),
      ...named(here.fields, seen.fields, 'is in the simulation alone'),
      ...named(seen.words, here.words, 'is a value that the simulation never gives'),
    ];
  });
}

interface Seen {
  /** `records[].status` */
  readonly fields: Set<string>;
  /** `records[].status = verified` */
  readonly words: Set<string>;
}

function byOperation(exchanges: readonly RecordedExchange[]): Map<string, Seen> {
  const all = new Map<string, Seen>();
  for (const { operation, status, answer } of exchanges) {
    const key = `${operation} ${status}`;
    const seen = all.get(key) ?? { fields: new Set<string>(), words: new Set<string>() };
    all.set(key, seen);
    collect(answer, '', seen);
  }
  return all;
}

function collect(value: unknown, at: string, seen: Seen): void {
  if (Array.isArray(value)) for (const item of value) collect(item, `${at}[]`, seen);
  else if (isObject(value))
    for (const [name, item] of Object.entries(value)) {
      const path = at === '' ? name : `${at}.${name}`;
      seen.fields.add(path);
      collect(item, path, seen);
    }
  else if (typeof value === 'string' && WORD.test(value)) seen.words.add(`${at} = ${value}`);
}
