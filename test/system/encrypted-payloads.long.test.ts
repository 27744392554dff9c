// What Temporal has in clear where payloads are encrypted: of an onboarding, by one key and then by the next, as the Temporal CLI of others
// reads it. Those of other ends are in failing-demo.long.test.ts, local-deployment.long.test.ts and agents-md-demo.long.test.ts.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { addressOf, newDataFolder, type RunningSendoff, startSendoffWith, temporal } from './running-sendoff.ts';
import { expectNothingInClear, type StoredInTemporal, storedInTemporal } from './stored-in-temporal.ts';

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
}, 600_000);
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

test('the Temporal CLI reads it through the codec server', () => {
  const texts = payloads(JSON.parse(shown));
  expect(texts.some((text) => text.includes('Welcome aboard'))).toBe(true);
  expect(texts).toContain('"Record the outcome of acme"');
});
