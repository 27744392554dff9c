// Providers of the seven endpoints whose HTTP and JSON are unusual but allowed, or broken for a while. Each onboarding ends within minutes.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { onboardingFailure } from '../../../src/client/onboarding/onboarding-executions.ts';
import { inputOf } from '../../support/onboarding-environment.ts';
import { type Behaviour, usualChoices, type WireAnswer } from '../../support/seven-endpoints.ts';
import { withSevenEndpoints, afterEnd } from './with-seven-endpoints.ts';

export const usual = { ...usualChoices, webhook: 'signed', deletes: '204' } as const;

type Fields = Record<string, unknown>;
const isPost = (call: string): boolean => /^POST \/(?:domains|senders|emails)$/.test(call);
const fieldsOf = ({ body }: WireAnswer): Fields => JSON.parse(String(body) || '{}') as Fields;
const encoded =
  (coding: string, encode: (body: string) => Buffer): Behaviour =>
  (_call, answer) => ({
    ...answer,
    headers: { ...answer.headers, 'content-encoding': coding },
    body: encode(String(answer.body)),
  });
const changed =
  (calls: (call: string) => boolean, change: (fields: Fields) => unknown): Behaviour =>
  (call, answer) =>
    calls(call) && answer.body !== '' ? { ...answer, body: JSON.stringify(change(fieldsOf(answer))) } : answer;
const always = (): boolean => true;
/** The first answers to each call are others. */
function first(times: number, calls: (call: string) => boolean, other: Behaviour): Behaviour {
  const seen = new Map<string, number>();
  return (call, answer, exchange) => {
    const count = (seen.get(call) ?? 0) + 1;
    seen.set(call, count);
    return calls(call) && count <= times ? other(call, answer, exchange) : answer;
  };
}
const answered =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  () => ({ status, headers, body });
/** A creation without content, and its address. */
const addressed =
  (post: string, status: number, base = ''): Behaviour =>
  (call, answer) =>
    call === post
      ? {
          status,
          headers: { location: `${base}${call.slice(5)}/${encodeURIComponent(String(fieldsOf(answer)['id']))}` },
          body: '',
        }
      : answer;
const withoutContent =
  (post: string): Behaviour =>
  (call, answer) =>
    call === post ? { ...answer, body: '' } : answer;
const mxRecord = (priority: unknown) => ({ type: 'MX', name: 'bounce.{domain}', value: 'mx.provider.test', priority });

/** The onboarding succeeds all the same. */
const borne: Readonly<Record<string, Behaviour>> = {
  'statuses in capitals': changed(always, ({ status, ...fields }) => ({
    ...fields,
    ...(typeof status === 'string' && { status: status.toUpperCase() }),
  })),
  'statuses of another provider before verification': changed(
    (call) => call.startsWith('GET /domains/'),
    (fields) => ({ ...fields, status: fields['status'] === 'verified' ? 'verified' : 'temporary_failure' }),
  ),
  'no status until it checks': changed(
    (call) => call.startsWith('GET /domains/'),
    (fields) => ({ ...fields, status: fields['status'] === 'verified' ? 'verified' : 'not_started' }),
  ),
  'a byte order mark': (_call, answer) => ({ ...answer, body: `\uFEFF${String(answer.body)}` }),
  'line breaks before the JSON': (_call, answer) => ({ ...answer, body: `\r\n  \n${String(answer.body)}\n` }),
  'gzip that was not asked for': encoded('gzip', gzipSync),
  'x-gzip in capitals': encoded('X-GZIP', gzipSync),
  'deflate that was not asked for': encoded('deflate', deflateSync),
  'brotli that was not asked for': encoded('br', brotliCompressSync),
  'a decompression bomb, for a while': first(
    3,
    always,
    encoded('gzip', () => gzipSync(Buffer.alloc(50_000_000))),
  ),
  'gzip that is none, for a while': first(
    3,
    always,
    encoded('gzip', (body) => Buffer.from(body)),
  ),
  'chunks with trailers': (_call, answer, { response }) => {
    response.writeHead(answer.status, { ...answer.headers, trailer: 'x-checksum', 'transfer-encoding': 'chunked' });
    for (const character of String(answer.body)) response.write(character);
    response.addTrailers({ 'x-checksum': 'none' });
    response.end();
    return undefined;
  },
  'early hints before each answer': (_call, answer, { response }) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    return answer;
  },
  'no length, and a closed connection': (_call, answer) => ({
    ...answer,
    headers: { ...answer.headers, connection: 'close' },
  }),
  'text/plain': (_call, answer) => ({ ...answer, headers: { 'content-type': 'text/plain' } }),
  'domains by address alone': addressed('POST /domains', 201),
  'domains by address alone, accepted for later': addressed('POST /domains', 202, 'https://api.provider.test'),
  'senders by address alone': addressed('POST /senders', 201),
  'emails by address alone': addressed('POST /emails', 202),
  'domains without records at first': changed(
    (call) => call === 'POST /domains',
    ({ id }) => ({ id }),
  ),
  'tokens with a line break at the end': changed(
    (call) => call === 'POST /api-keys',
    ({ token, ...fields }) => ({ ...fields, token: `${String(token)}\n` }),
  ),
  'a domain that appears later': first(
    3,
    (call) => call.startsWith('GET /domains/'),
    answered(404, {}, '{"code":"not_found"}'),
  ),
  'an email that appears later': first(
    3,
    (call) => call.startsWith('GET /emails/'),
    answered(404, {}, '{"code":"not_found"}'),
  ),
  'records by name': changed(
    (call) => /^\w+ \/domains/.test(call),
    ({ records, ...fields }) => ({
      ...fields,
      records: Object.fromEntries(((records ?? []) as { name: string }[]).map(({ name, ...record }) => [name, record])),
    }),
  ),
  'an MX record with its priority as text': changed(
    (call) => /^\w+ \/domains/.test(call),
    (fields) => ({ ...fields, records: [...((fields['records'] ?? []) as Fields[]), mxRecord('10')] }),
  ),
  'null in every field that may be absent': changed(always, (fields) => ({
    ...fields,
    ...{ data: null, result: null, bounce: null, delivered_at: null, attempts: null, scopes: null, error: null },
  })),
  'domain in domain': changed(
    (call) => /^\w+ \/domains/.test(call),
    (fields) => ({ object: 'domain', domain: fields }),
  ),
  'codes in capitals': first(
    1,
    (call) => call === 'POST /senders',
    answered(422, {}, '{"code":"DOMAIN-NOT-VERIFIED"}'),
  ),
  'a redirect to another path': (call, answer, { request }) =>
    call.includes('/domains') && request.url?.includes('moved') !== true
      ? { status: 308, headers: { location: `${request.url ?? ''}?moved=1` }, body: '' }
      : answer,
  'a permanent redirect of each GET': (call, answer, { request }) =>
    call.startsWith('GET ') && request.url?.includes('moved') !== true
      ? { status: 301, headers: { location: `${request.url ?? ''}?moved=1` }, body: '' }
      : answer,
  'a page with status 200, for a while': first(3, always, answered(200, {}, '<html>Maintenance</html>')),
  '429 without Retry-After, for a while': first(3, always, answered(429)),
  '429 with a date in the past, for a while': first(
    4,
    always,
    answered(429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
  ),
  '429 with Retry-After: 0, for a while': first(4, always, answered(429, { 'retry-after': '0' })),
  '429 with a Retry-After of 31 years, for a while': first(4, always, answered(429, { 'retry-after': '978307200' })),
  '503 with a negative Retry-After, at first': first(1, isPost, answered(503, { 'retry-after': '-5' })),
  'connections that close after the head, for a while': first(3, always, (_call, _answer, { response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.flushHeaders();
    response.destroy();
    return undefined;
  }),
  'deliveries dated years ago': changed(
    (call) => call.startsWith('GET /emails/'),
    (fields) => ({ ...fields, delivered_at: '1999-12-31T23:59:60Z' }),
  ),
};

/** It ends as ProviderRejected. */
const rejected: Readonly<Record<string, Behaviour>> = {
  'senders without content': withoutContent('POST /senders'),
  'domains without content': withoutContent('POST /domains'),
  'emails without content': withoutContent('POST /emails'),
  'keys without content': withoutContent('POST /api-keys'),
  'tokens that no header can carry': changed(
    (call) => call === 'POST /api-keys',
    (fields) => ({ ...fields, token: 'a\nb' }),
  ),
};

export const behaviours = { ...borne, ...rejected };
/** Of `npm test`. */
export const quick: readonly string[] = [
  'statuses in capitals',
  'gzip that was not asked for',
  'emails without content',
  '429 without Retry-After, for a while',
  'a permanent redirect of each GET',
  '429 with a Retry-After of 31 years, for a while',
];

/** Onboards a tenant at each of these providers, and returns those that end otherwise than they should within minutes. */
export async function wrongEnds(names: readonly string[]): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  await withSevenEndpoints(async ({ start }, far) => {
    for (const [at, name] of names.entries()) {
      const behaviour = behaviours[name]!;
      const expected = name in rejected ? 'ProviderRejected' : 'onboarded';
      const tenantId = `tenant-${at}`;
      const calls = { count: 0 };
      far.add(tenantId, usual, (call, answer, exchange) => {
        calls.count += 1;
        return behaviour(call, answer, exchange);
      });
      const handle = await start(inputOf(tenantId));
      const ended = await handle.result().then(
        () => 'onboarded',
        (error: unknown) => onboardingFailure(error)?.type ?? String(error),
      );
      const { isBounded, undo, records, minutes, webhooks, emails } = await afterEnd(far, handle, tenantId);
      const isRight =
        isBounded &&
        ended === expected &&
        calls.count <= 60 &&
        // What an unreadable success created cannot be found.
        undo.every(({ result, resourceId }) => result !== 'failed' || resourceId === null);
      if (!isRight) wrong.push({ name, ended, minutes, calls: calls.count, webhooks, emails, undo });
      if (name === 'emails without content')
        expect(undo.map(({ step, result }) => [step, result])).toEqual([
          ['sendFirstEmail', 'kept'],
          ...['createSender', 'registerDomain', 'registerWebhook', 'issueApiKey'].map((step) => [step, 'kept']),
        ]);
      if (name.includes('MX')) expect(records.at(-1)).toMatchObject({ type: 'MX', value: '10 mx.provider.test' });
    }
  });
  return wrong;
}
