import { request } from 'node:http';
import { Writable } from 'node:stream';
import { randomBytes } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { UpdateOutcome } from '../../src/client/onboarding/run-update.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import type { HttpApp } from '../../src/lib/http/create-http-app.ts';
import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import type { DomainReport } from '../../src/onboarding/domain-report.ts';
import { createSqlSetupLinks, type SetupLinks } from '../../src/store/onboarding/setup-links.ts';
import { endOnboarding } from '../support/begin-onboarding.ts';
import { appearance, httpDependencies, runningView } from '../support/http-dependencies.ts';
import { withClockOff } from '../support/clock-off.ts';
import { recordWaiting } from '../support/register-api.ts';
import { openTestRegister, type TestRegister } from '../support/test-register.ts';

const TOKEN = 'a-token-of-the-backend-long-enough';
const backend = { authorization: `Bearer ${TOKEN}` };
const CHECK_AGE_MS = 60_000;

let opened: TestRegister;
let app: HttpApp;
let setupLinks: SetupLinks;
let checkNow: () => Promise<UpdateOutcome<DomainReport>>;
let checks: number;
let log: string;
let nowMs: number;
/** The queries about links since the test emptied it. */
let asked: number;
const countQueries: KyselyPlugin = {
  transformQuery({ node }) {
    asked += 1;
    return node;
  },
  transformResult: async ({ result }) => result,
};

beforeEach(async () => {
  opened = await openTestRegister();
  checks = 0;
  asked = 0;
  log = '';
  nowMs = Date.now();
  checkNow = async () => ({ kind: 'refused', reason: 'the onboarding is not waiting' });
  const onboardings = {
    ...httpDependencies().onboardings,
    checkNow: () => {
      checks += 1;
      return checkNow();
    },
  };
  const written = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += chunk.toString();
      done();
    },
  });
  const keys = [randomBytes(32)];
  setupLinks = createSqlSetupLinks(opened.database.withPlugin(countQueries), keys, () => nowMs);
  app = buildHttpApp(
    httpDependencies({
      register: opened.register,
      setupLinks,
      onboardings,
      views: { ...httpDependencies().views, of: async () => runningView() },
      setupPage: { baseUrl: 'https://setup.example.test/mail', appearance },
      apiTokens: [{ name: 'backend', token: TOKEN }],
      logger: pino({ level: 'info' }, written),
    }),
  );
  await waiting('acme');
});
afterEach(async () => {
  await app.close();
  await opened.end();
});

/** Records an onboarding whose DNS was checked a minute ago. */
async function waiting(tenantId: string, record: Partial<DnsRecord> = {}): Promise<void> {
  await recordWaiting(opened, tenantId, record);
  await wasChecked(CHECK_AGE_MS, tenantId);
}

async function wasChecked(agoMs: number, tenantId = 'acme'): Promise<void> {
  const checked_at = new Date(Date.now() - agoMs).toISOString();
  await opened.database.updateTable('onboardings').set({ checked_at }).where('tenant_id', '=', tenantId).execute();
}

async function newLink(tenantId = 'acme'): Promise<string> {
  const answer = await app.inject({ method: 'POST', url: `/onboardings/${tenantId}/setup-link`, headers: backend });
  expect(answer.statusCode).toBe(201);
  return new URL(answer.json<{ url: string }>().url).pathname.replace('/mail', '');
}

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
const press = (url: string) =>
  app.inject({ method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded' } });

test('the backend creates a link, which it alone gets to see, and revokes all of them', async () => {
  const answer = await app.inject({
    ...{ method: 'POST', url: '/onboardings/acme/setup-link', headers: backend, payload: { by: 'ada' } },
  });
  const link = answer.json<{ tenantId: string; url: string; expires_at: string }>();
  expect(link).toEqual({
    tenantId: 'acme',
    url: expect.stringMatching(/^https:\/\/setup\.example\.test\/mail\/setup\/[\w-]{43}$/),
    expires_at: expect.any(String),
  });
  const deadline = (await opened.register.get('acme'))?.onboarding.verificationDeadline ?? '';
  expect(Date.parse(link.expires_at) - Date.parse(deadline)).toBe(7 * 86_400_000);
  const path = new URL(link.url).pathname.replace('/mail', '');
  const second = await newLink();
  expect((await get(path)).statusCode).toBe(200);
  const revoked = await app.inject({ method: 'DELETE', url: '/onboardings/acme/setup-links?by=ada', headers: backend });
  expect(revoked.json()).toEqual({ tenantId: 'acme', revoked: 2 });
  expect([(await get(path)).statusCode, (await get(second)).statusCode]).toEqual([404, 404]);
  const events = await opened.register.events({ after: 0, limit: 100 });
  expect(events.filter(({ type }) => type === 'onboarding.requested').map(({ data }) => data)).toEqual([
    { request: 'setup_link', by: 'ada', apiTokenName: 'backend' },
    { request: 'setup_link', by: null, apiTokenName: 'backend' },
    { request: 'revoke_setup_links', by: 'ada', apiTokenName: 'backend' },
  ]);
  expect(JSON.stringify(events)).not.toContain(path.slice('/setup/'.length));
});

test.each([
  ['POST', '/onboardings/unknown/setup-link'],
  ['DELETE', '/onboardings/unknown/setup-links'],
] as const)('%s %s answers 404', async (method, url) => {
  expect((await app.inject({ method, url, headers: backend })).statusCode).toBe(404);
  expect((await app.inject({ method, url })).statusCode).toBe(401);
});

test('the page shows the records of its tenant and nothing of another one, and has no token', async () => {
  await waiting('beta');
  const path = await newLink();
  const { body, headers, statusCode } = await get(path);
  expect(statusCode).toBe(200);
  expect(body).toContain('v=spf1 ip4:192.0.2.1 -all');
  expect(body).toContain('acme.test');
  expect(body).not.toMatch(/beta|key_acme|dom_acme|attempt-of|run-of/);
  expect(body).not.toContain(path.slice('/setup/'.length));
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'cache-control': 'no-store',
  });
  // Nothing inline, and nothing of another origin.
  expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="assets\/)/);
  const { style, script } = appearance.assets;
  expect([...body.matchAll(/(?:src|<link[^>]+href)="([^"]+)"/g)].map(([, url]) => url)).toEqual([
    ...['data:,', `assets/${style}`, `assets/${script}`],
  ]);
});

test('a link that was tampered with, guessed, revoked or has expired gets the same answer', async () => {
  const path = await newLink();
  await waiting('beta');
  const revoked = await newLink('beta');
  await app.inject({ method: 'DELETE', url: '/onboardings/beta/setup-links', headers: backend });
  await waiting('gamma');
  const expired = await newLink('gamma');
  await endOnboarding(opened.register, 'gamma', { at: new Date(nowMs).toISOString() });
  nowMs += 8 * 86_400_000;
  const tampered = `${path.slice(0, 12)}${path[12] === 'A' ? 'B' : 'A'}${path.slice(13)}`;
  const links = {
    tampered,
    guessed: `/setup/${randomBytes(32).toString('base64url')}`,
    revoked,
    expired,
    word: '/setup/x',
    // Longer than a parameter may be.
    long: `/setup/${'x'.repeat(401)}`,
    slash: `${path}/`,
  };
  const answers = new Map<string, unknown>();
  for (const [name, link] of Object.entries(links)) {
    asked = 0;
    const { statusCode, body, headers } = await get(link);
    const { 'x-request-id': _, date: _date, ...others } = headers;
    answers.set(name, { statusCode, body, headers: others, asked });
    expect([name, (await press(link)).statusCode]).toEqual([name, 404]);
    expect((await get(`${link}?download=zone-file`)).body).toBe(body);
  }
  const [first] = answers.values();
  expect(first).toMatchObject({ statusCode: 404, asked: 1 });
  // No database is asked for what cannot be a token.
  const expected = (name: string) => (['long', 'slash'].includes(name) ? { ...(first as object), asked: 0 } : first);
  expect([...answers]).toEqual([...answers.keys()].map((name) => [name, expected(name)]));
  expect((await get(path)).statusCode).toBe(200);
});

test('a zone full of markup, of 64 KB values and of characters that reverse text changes nothing of the page', async () => {
  const attack = '"></code></textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>';
  await waiting('evil', {
    status: 'wrong',
    found: [attack, 'A'.repeat(65_535), '\u{202e}desrever', ...Array.from({ length: 500 }, (_, at) => `value ${at}`)],
    findings: [
      { code: attack, name: attack, fix: `${attack} ${'B'.repeat(70_000)}` },
      { code: 'host_doubled', name: attack, fix: attack, publish: { type: 'TXT', host: attack, value: attack } },
    ],
    nameServers: [{ name: attack, answered: true }],
    zone: attack,
    host: attack,
    value: attack,
    purpose: attack,
    type: attack,
  });
  const path = await newLink('evil');
  for (const lang of ['en', 'de']) {
    const { body } = await get(`${path}?lang=${lang}`);
    expect(body.match(/<script/g)).toHaveLength(1);
    expect(body).not.toMatch(/<img|\u{202e}|<\/textarea>[^]*<\/textarea>/u);
    expect(body.length).toBeLessThan(60_000);
    expect(body).toContain('&lt;script>alert(1)&lt;/script>');
  }
  const zone = await get(`${path}?download=zone-file`);
  expect(zone.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  expect(zone.headers['content-disposition']).toBe('attachment; filename="evil.test.zone"');
});

test.each([
  [undefined, 'fr, de-AT;q=0.8, en;q=0.5', 'de'],
  [undefined, 'fr', 'en'],
  [undefined, 'de;q=0, en', 'en'],
  [undefined, undefined, 'en'],
  ['en', 'de', 'en'],
  ['xx', 'de', 'de'],
])('chosen %s, accepted %s: the page is in %s', async (chosen, accepted, tag) => {
  const { body } = await get(`/setup/x${chosen === undefined ? '' : `?lang=${chosen}`}`, {
    ...(accepted !== undefined && { 'accept-language': accepted }),
  });
  expect(body).toContain(`<html lang="${tag}">`);
});

test('the link to the other language keeps what the reader chose', async () => {
  const path = await newLink();
  const { body } = await get(`${path}?form=general&checked=checked`);
  expect(body).toContain('href="?lang=de&amp;form=general"');
});

test('parameters that a mail program adds, or that come twice, do not break the page', async () => {
  const path = await newLink();
  for (const query of ['utm_source=mail', 'lang=de&lang=en', 'checked=<script>', 'form=x&checked=checked&checked=x'])
    expect([query, (await get(`${path}?${query}`)).statusCode]).toEqual([query, 200]);
});

test.each([
  [{ kind: 'done', result: {} as DomainReport }, 'checked'],
  [{ kind: 'begun' }, 'running'],
  [{ kind: 'refused', reason: 'x' }, 'refused'],
  [{ kind: 'unanswered' }, 'unavailable'],
  [{ kind: 'noWorker' }, 'unavailable'],
  [{ kind: 'unreachable' }, 'unavailable'],
] as const)('check now that ends as %o returns to the page with the answer %s', async (outcome, answer) => {
  checkNow = async () => outcome;
  const path = await newLink();
  const pressed = await press(`${path}?lang=de&checked=running`);
  expect(pressed.statusCode).toBe(303);
  expect(pressed.headers.location).toBe(`?lang=de&checked=${answer}`);
  expect((await get(`${path}${pressed.headers.location ?? ''}`)).body).toContain('id="notice"');
});

test('however often the button is pressed, a tenant has one check under way, and none within seconds of the last', async () => {
  let finish: (outcome: UpdateOutcome<DomainReport>) => void = () => undefined;
  checkNow = () => new Promise((resolve) => (finish = resolve));
  const [one, other] = [await newLink(), await newLink()];
  asked = 0;
  const pressed = Promise.all([press(one), press(one), press(other)]);
  await expect.poll(() => checks).toBe(1);
  // Each press reads its link and its record, and then joins the check: before a later request is answered.
  await expect.poll(() => asked).toBe(6);
  await get(one);
  finish({ kind: 'done', result: {} as DomainReport });
  expect((await pressed).map(({ headers }) => headers.location)).toEqual(Array(3).fill('?checked=checked'));
  expect(checks).toBe(1);
  expect((await press(one)).headers.location).toBe('?checked=justChecked');
  expect(checks).toBe(1);
});

test.each([0, -5, 5])(
  'a check of minutes ago does not keep the button from checking, with a clock that is %i minutes off',
  async (minutes) => {
    checkNow = async () => ({ kind: 'done', result: {} as DomainReport });
    const path = await newLink();
    await wasChecked(5 * 60_000);
    const pressed = await withClockOff(minutes * 60_000, () => press(path));
    expect([pressed.headers.location, checks]).toEqual(['?checked=checked', 1]);
  },
);

test('a check without an answer is not sent again until it has a result or its time is over', async () => {
  checkNow = async () => ({ kind: 'begun' });
  const path = await newLink();
  for (let time = 0; time < 3; time += 1) expect((await press(path)).headers.location).toBe('?checked=running');
  expect(checks).toBe(1);
  await wasChecked(30_000);
  expect((await press(path)).headers.location).toBe('?checked=running');
  expect(checks).toBe(2);
  const later = performance.now() + 121_000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
  onTestFinished(() => {
    clock.mockRestore();
  });
  expect((await press(path)).headers.location).toBe('?checked=running');
  expect(checks).toBe(3);
});

/** A server that cannot render any page. */
function appWithoutPages(): HttpApp {
  const broken = { ...appearance, assets: undefined as never };
  return buildHttpApp(httpDependencies({ setupLinks, setupPage: { baseUrl: undefined, appearance: broken } }));
}

test('a page that cannot be rendered is answered 503 with a page that needs no rendering', async () => {
  const unrendered = appWithoutPages();
  const answer = await unrendered.inject({ url: '/setup/unknown?lang=de' });
  expect(answer.statusCode).toBe(503);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(answer.body).toMatch(/^<!doctype html><html lang="de">.*<h1>[^<]+<\/h1><p>[^<]+<\/p>/);
  await unrendered.close();
});

test('while the onboarding may have no other check, the button asks it once', async () => {
  checkNow = async () => ({ kind: 'tooSoon', reason: 'x', waitMs: 3_600_000 });
  await waiting('beta');
  const [acme, beta] = [await newLink(), await newLink('beta')];
  for (let time = 0; time < 3; time += 1) expect((await press(acme)).headers.location).toBe('?checked=refused');
  expect(checks).toBe(1);
  expect((await press(beta)).headers.location).toBe('?checked=refused');
  expect(checks).toBe(2);
});

test('a page that is shown is answered 304 without rendering, until something that it shows has changed', async () => {
  const path = await newLink();
  const { headers, body } = await get(path);
  const etag = String(headers.etag);
  expect(body).toContain(`data-etag="${etag.replaceAll('"', '&quot;')}"`);
  const ifChanged = async (query: string, language = 'en', server = app) => {
    const sent = { 'if-none-match': etag, 'accept-language': language };
    const answer = await server.inject({ url: `${path}${query}`, headers: sent });
    expect([answer.body === '', answer.headers.etag === etag]).toEqual(Array(2).fill(answer.statusCode === 304));
    return answer.statusCode;
  };
  const unrendered = appWithoutPages();
  for (const query of ['', '?checked=checked', '?utm_source=mail'])
    expect([query, await ifChanged(query, 'en', unrendered)]).toEqual([query, 304]);
  await unrendered.close();
  for (const query of ['?lang=de', '?form=general']) expect([query, await ifChanged(query)]).toEqual([query, 200]);
  expect(await ifChanged('', 'de')).toBe(200);
  expect(await withClockOff(3_600_000, () => ifChanged(''))).toBe(200);
  expect(await ifChanged('')).toBe(304);
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse((await opened.register.get('acme'))?.updatedAt ?? ''));
  const run = { tenantId: 'acme', attemptId: 'attempt-of-acme', runId: 'run-of-acme', at: new Date().toISOString() };
  await opened.register.note(run, { keyId: 'key_2' });
  expect(await ifChanged('')).toBe(200);
  await app.inject({ method: 'DELETE', url: '/onboardings/acme/setup-links', headers: backend });
  expect(await ifChanged('')).toBe(404);
});

test('no token is in the log, in any spelling of its path and after a proxy', async () => {
  const path = await newLink();
  const spellings = [`/${path}`, path.replace('setup', 's%65tup')];
  for (const url of [path, ...['/', '/events/more', '?lang=de'].map((rest) => `${path}${rest}`), ...spellings])
    await get(url);
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  for (const url of [`http://proxy.test${path}`, path.replace('/setup/', '/setup%2f')])
    await new Promise((resolve, reject) => {
      request({ port, path: url }, (answer) => answer.resume().once('end', resolve))
        .once('error', reject)
        .end();
    });
  await press(path);
  expect(log).toContain('/setup/(token)');
  expect(log).not.toContain(path.slice('/setup/'.length));
});

test('style and script have names with a hash, which browsers keep', async () => {
  for (const [file, { type, content }] of appearance.files) {
    const answer = await get(`/setup/assets/${file}`);
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(answer.rawPayload).toEqual(content);
  }
  expect((await get('/setup/assets/..%2fconfig.ts')).statusCode).toBe(404);
});
