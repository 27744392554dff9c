// One onboarding whose payloads are encrypted, by one key and then by the next, as the Temporal CLI of others reads it.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import {
  addressOf,
  everyHistory,
  newDataFolder,
  type RunningSendoff,
  startSendoffWith,
  temporal,
} from './running-sendoff.ts';

const data = newDataFolder();
const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [before, after] = [key('before'), key('after')];
/** A failure must leave none of them running. */
const started: RunningSendoff[] = [];
let withoutKey: RunningSendoff;
let onboarded: RunningSendoff;
let histories: Map<string, string>;
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
  histories = await everyHistory(addressOf(data));
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

interface FoundPayload {
  /** Without numbers: `events.workflowExecutionStartedEventAttributes.input.payloads`. */
  readonly path: string;
  readonly encoding: string;
  readonly text: string;
}

/** Every payload in a history. */
function payloads(value: unknown, path: readonly string[] = []): FoundPayload[] {
  if (typeof value !== 'object' || value === null) return [];
  const { metadata, data = '' } = value as { metadata?: { encoding?: string }; data?: string };
  if (typeof metadata?.encoding === 'string')
    return [{ path: path.join('.'), encoding: fromBase64(metadata.encoding), text: fromBase64(data) }];
  return Object.entries(value).flatMap(([name, inner]) => payloads(inner, /^\d+$/.test(name) ? path : [...path, name]));
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString();

test('the onboarding goes on with the next key and ends well', () => {
  expect(JSON.parse(onboarded.stdout())).toMatchObject({ outcome: 'onboarded' });
});

test('a program without the key does not start, and names it', async () => {
  expect(await withoutKey.ended).toBe(1);
  expect(withoutKey.stderr()).toContain('encrypted with the key "before", which SENDOFF_PAYLOAD_KEYS does not have');
});

test('Temporal has nothing in clear but Search Attributes and what the SDK notes of a Local Activity', () => {
  const all = [...histories.values()].flatMap((json) => payloads(JSON.parse(json)));
  const inClear = all.filter(({ encoding }) => encoding !== 'binary/encrypted');
  const mayBe = /[sS]earchAttributes|markerRecordedEventAttributes\.details\.data\.payloads$/;
  expect(inClear.filter(({ path }) => !mayBe.test(path))).toEqual([]);
  expect(all.length).toBeGreaterThan(2 * inClear.length);
  for (const text of [...histories.values(), ...inClear.map((each) => each.text)])
    expect(text).not.toMatch(/Welcome aboard|ada@|hello@/);
});

test('the Temporal CLI reads it through the codec server', () => {
  const texts = payloads(JSON.parse(shown)).map(({ text }) => text);
  expect(texts.some((text) => text.includes('Welcome aboard'))).toBe(true);
  expect(texts).toContain('"Record the outcome of acme"');
});
