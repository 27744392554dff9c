// What Temporal has in clear where payloads are encrypted: of an onboarding, by one key and then by the next, as the Temporal CLI of others
// reads it, and of every end.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { addressOf, newDataFolder, type RunningSendoff, startSendoffWith, temporal } from './running-sendoff.ts';
import { type StoredInTemporal, storedInTemporal } from './stored-in-temporal.ts';

const data = newDataFolder();
const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [before, after] = [key('before'), key('after')];
/** A failure must leave none of them running. */
const started: RunningSendoff[] = [];
let withoutKey: RunningSendoff;
let onboarded: RunningSendoff;
let stored: StoredInTemporal;
let shown: string;

beforeAll(async () => {
  const waiting = await startSendoffWith({ SENDOFF_PAYLOAD_KEYS: before }, 'demo', '--data', data);
  await waiting.printed(/Wait until the domain is verified[\s\S]*_domainkey[\s\S]*Attempt 1/);
  waiting.child.kill('SIGKILL');
  await waiting.ended;

  withoutKey = await startSendoffWith({ SENDOFF_PAYLOAD_KEYS: after }, 'demo', '--data', data);
  await withoutKey.ended;

  const keys = { SENDOFF_PAYLOAD_KEYS: `${after},${before}` };
  onboarded = await startSendoffWith(keys, 'demo', '--json', '--keep', '--data', data);
  started.push(onboarded);
  await onboarded.printed(/Still running/);
  stored = await storedInTemporal(addressOf(data));
  const port = await freePort();
  const codecServer = await startSendoffWith({ ...keys, SENDOFF_CODEC_PORT: String(port) }, 'codec-server');
  started.push(codecServer);
  await codecServer.printed(/Codec server: http/);
  const endpoint = ['--codec-endpoint', `http://127.0.0.1:${port}`];
  shown = await temporal(
    addressOf(data),
    'workflow',
    'show',
    '--output',
    'json',
    '--workflow-id',
    'onboarding/acme',
    ...endpoint,
  );
  for (const { child, ended } of [codecServer, onboarded]) {
    child.kill('SIGINT');
    await ended;
  }
}, 240_000);
afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(data, { recursive: true, force: true });
});

/** Every payload in what the Temporal CLI prints. */
function payloads(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { metadata, data = '' } = value as { metadata?: { encoding?: string }; data?: string };
  if (typeof metadata?.encoding === 'string') return [Buffer.from(data, 'base64').toString()];
  return Object.values(value).flatMap(payloads);
}

/** What docs/operating.md says stays in clear, and two notes of Core and the server that hold nothing of ours. */
const payloadsInClear: readonly (readonly [path: RegExp, text: RegExp])[] = [
  [/[sS]earchAttributes\.indexedFields\.\w+$/, /^/],
  [/markerRecordedEventAttributes\.details\.data\.payloads$/, /^\{"seq":\d+,"attempt":\d+,"activity_id":"\d+",/],
  [/activityTaskCanceledEventAttributes\.details\.payloads$/, /^"ACTIVITY_ID_NOT_STARTED"$/],
];
const MESSAGE_OF_A_FAILURE = /\b(?:failure|lastFailure|cause)\.message$/;
const [content, addresses] = [
  /Welcome aboard|came through it|so_live_|whsec_|PRIVATE KEY|# ?AGENTS/i,
  /(?:ada|nobody|hello)@/,
];

function expectNothingInClear({ payloads: all, texts }: StoredInTemporal): void {
  const inClear = all.filter(({ encoding }) => encoding !== 'binary/encrypted');
  expect(
    inClear.filter(({ path, text }) => !payloadsInClear.some(([where, what]) => where.test(path) && what.test(text))),
  ).toEqual([]);
  expect(all.length).toBeGreaterThan(2 * inClear.length);
  const read = [...texts, ...inClear];
  expect(read.filter(({ text }) => content.test(text))).toEqual([]);
  expect(read.filter(({ path, text }) => addresses.test(text) && !MESSAGE_OF_A_FAILURE.test(path))).toEqual([]);
  expect(texts.filter(({ path }) => path.endsWith('stackTrace'))).toEqual([]);
}

test('the onboarding goes on with the next key and ends well', () => {
  expect(JSON.parse(onboarded.stdout())).toMatchObject({ outcome: 'onboarded' });
});

test('a program without the key does not start, and names it', async () => {
  expect(await withoutKey.ended).toBe(1);
  expect(withoutKey.stderr()).toContain('encrypted with the key "before", which SENDOFF_PAYLOAD_KEYS does not have');
});

test('Temporal has nothing in clear of an onboarding but what docs/operating.md names', () => {
  expect(stored.types).toContain('onboardTenant');
  expectNothingInClear(stored);
});

test.each([
  { end: 'F1', args: ['demo', '--fail', 'F1'], type: 'onboardTenant', says: 'acme.test was not verified' },
  { end: 'F2', args: ['demo', '--fail', 'F2'], type: 'onboardTenant', says: 'refused the sender' },
  { end: 'F3', args: ['demo', '--fail', 'F3'], type: 'onboardTenant', says: 'nobody@inbox.test bounced' },
  { end: 'a cancellation and its undo', args: ['demo', '--fail', 'cancel'], type: 'onboardTenant' },
  { end: 'checks of AGENTS.md', args: ['agents-md', 'demo'], type: 'checkAgentsMd', says: 'limits the request rate' },
])(
  'nor of $end',
  async ({ args, type, says = '' }) => {
    const temporary = mkdtempSync(join(tmpdir(), 'sendoff-encrypted-'));
    const demo = await startSendoffWith({ SENDOFF_PAYLOAD_KEYS: key('only'), TMPDIR: temporary }, ...args, '--keep');
    started.push(demo);
    try {
      await demo.printed(/Still running/);
      const [folder = ''] = readdirSync(temporary).filter((name) => name.startsWith('sendoff-demo-'));
      const all = await storedInTemporal(addressOf(join(temporary, folder)));
      expect(all.types).toContain(type);
      expectNothingInClear(all);
      // What is in clear is found.
      expect(all.texts.some(({ path, text }) => MESSAGE_OF_A_FAILURE.test(path) && text.includes(says))).toBe(true);
    } finally {
      demo.child.kill('SIGINT');
      await demo.ended;
      rmSync(temporary, { recursive: true, force: true });
    }
  },
  240_000,
);

test('the Temporal CLI reads it through the codec server', () => {
  const texts = payloads(JSON.parse(shown));
  expect(texts.some((text) => text.includes('Welcome aboard'))).toBe(true);
  expect(texts).toContain('"Record the outcome of acme"');
});
