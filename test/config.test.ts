import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { orchestratorRequires as required } from './support/required-settings.ts';

const contact = { AGENTS_MD_CONTACT: 'mailto:ops@example.com' };
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const otherSecret = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const read = (settings: Record<string, string>) => readConfig({ ...required, ...settings }).agentsMd;

test('without a contact no AGENTS.md is checked', () => {
  expect(read({})).toBeUndefined();
  expect(read(contact)).toMatchObject({ requestsPerSecond: undefined, hostUrls: {}, changeReceiver: undefined });
});

test('a mirror replaces the addresses that it names, and no others', () => {
  const { hostUrls } = read({ ...contact, AGENTS_MD_HOST_URLS: '{"github.com":{"raw":"http://127.0.0.1:1/raw/"}}' })!;
  expect(hostUrls).toEqual({
    'github.com': { web: 'https://github.com', raw: 'http://127.0.0.1:1/raw', api: 'https://api.github.com' },
  });
});

test.each([
  ['AGENTS_MD_CONTACT', 'two words'],
  ['AGENTS_MD_CONTACT', 'nobody'],
  ['AGENTS_MD_HOST_URLS', 'raw'],
  ['AGENTS_MD_HOST_URLS', '{"example.com":{"raw":"http://127.0.0.1"}}'],
  ['AGENTS_MD_HOST_URLS', '{"github.com":{"rawer":"http://127.0.0.1"}}'],
  ['AGENTS_MD_HOST_URLS', '{"github.com":{"raw":["http://127.0.0.1"]}}'],
  ['AGENTS_MD_HOST_URLS', '{"github.com":{"raw":"file:///etc/passwd"}}'],
  ['AGENTS_MD_REQUESTS_PER_SECOND', '0'],
  ['AGENTS_MD_REQUESTS_PER_SECOND', 'many'],
  ['AGENTS_MD_WEBHOOK_SECRET', 'secret'],
  ['AGENTS_MD_WEBHOOK_SECRET', `whsec_${'-_'.repeat(20)}`],
  ['AGENTS_MD_WEBHOOK_SECRET', `${secret}!`],
  ['AGENTS_MD_WEBHOOK_SECRET', `whsec_${Buffer.alloc(8).toString('base64')}`],
])('%s is refused by its name: %s', (name, value) => {
  const webhook = { AGENTS_MD_WEBHOOK_URL: 'https://example.com', AGENTS_MD_WEBHOOK_SECRET: secret };
  expect(() => read({ ...contact, ...webhook, [name]: value })).toThrow(`${name} must be`);
});

test('both of two signing secrets sign, and the URL stays as it is written', () => {
  const webhook = {
    AGENTS_MD_WEBHOOK_URL: 'http://10.0.0.1/hooks/',
    AGENTS_MD_WEBHOOK_SECRET: `${secret}, ${otherSecret}`,
  };
  expect(read({ ...contact, ...webhook })?.changeReceiver).toEqual({
    url: 'http://10.0.0.1/hooks/',
    signingSecrets: [secret, otherSecret],
  });
});

test.each([
  ['SENDOFF_NOTIFICATION_URL', 'ftp://example.com'],
  ['SENDOFF_NOTIFICATION_URL', 'https://backend:password@example.com'],
  ['SENDOFF_NOTIFICATION_SECRET', `${secret},`],
  ['SENDOFF_NOTIFICATION_SECRET', `${secret},${otherSecret},${secret}`],
])('%s is refused without repeating its value: %s', (name, value) => {
  const receiver = { SENDOFF_NOTIFICATION_URL: 'https://example.com', SENDOFF_NOTIFICATION_SECRET: secret };
  expect(() => readConfig({ ...required, ...receiver, [name]: value })).toThrow(
    new RegExp(`^${name} must be .*; found a secret value \\(not shown\\)`),
  );
});

test('rejects a webhook URL without its secret, and a secret without its URL', () => {
  expect(() => read({ ...contact, AGENTS_MD_WEBHOOK_URL: 'https://example.com' })).toThrow('both be set, or neither');
  expect(() => read({ ...contact, AGENTS_MD_WEBHOOK_SECRET: secret })).toThrow('both be set, or neither');
  expect(() => read({ SENDOFF_NOTIFICATION_URL: 'https://example.com' })).toThrow(
    'SENDOFF_NOTIFICATION_URL and SENDOFF_NOTIFICATION_SECRET must both be set, or neither',
  );
});

test.each([
  ['1 minute', 60_000],
  ['30d', 30 * 86_400_000],
  ['off', undefined],
  ['0', undefined],
])('SENDOFF_WATCH_INTERVAL may be %s', (value, intervalMs) => {
  expect(readConfig({ ...required, SENDOFF_WATCH_INTERVAL: value }).watchIntervalMs).toBe(intervalMs);
});

test('verified domains are watched every 24 hours by default', () => {
  expect(readConfig(required).watchIntervalMs).toBe(86_400_000);
});

test.each(['59s', '31d', '721h', '-1h', '24', 'never'])('SENDOFF_WATCH_INTERVAL is refused: %s', (value) => {
  expect(() => readConfig({ ...required, SENDOFF_WATCH_INTERVAL: value })).toThrow(
    /^SENDOFF_WATCH_INTERVAL must be off, or a duration from 1 minute to 30 days/,
  );
});

test('of several operator tokens of the provider the first is sent', () => {
  const sent = (value: string) =>
    readConfig({ ...required, EMAIL_PROVIDER_OPERATOR_TOKEN: value }).providerOperatorToken;
  const [old, next] = ['1'.repeat(32), '2'.repeat(32)] as const;
  expect(sent(`new:${next},old:${old}`)).toBe(next);
  expect(sent(old)).toBe(old);
  expect(sent(`tenant:${old}`)).toBe(`tenant:${old}`);
});

test.each(['9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536', '256.0.0.1:9464', '::1:9464'])(
  'SENDOFF_METRICS_ADDRESS is refused by its name: %s',
  (value) => {
    expect(() => readConfig({ ...required, SENDOFF_METRICS_ADDRESS: value })).toThrow(
      'SENDOFF_METRICS_ADDRESS must be',
    );
  },
);

test.each(['127.0.0.1:9464', '0.0.0.0:9464', '[::1]:9464'])('metrics are served at %s', (value) => {
  expect(readConfig({ ...required, SENDOFF_METRICS_ADDRESS: value }).metricsAddress).toBe(value);
});
