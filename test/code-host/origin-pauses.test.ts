import { beforeEach, describe, expect, test } from 'vitest';
import { createOriginPauses, type OriginPauses, type RequestPermit } from '../../src/code-host/origin-pauses.ts';
import type { SharedPauses } from '../../src/agents-md/shared-pauses.ts';
import { memorySharedPauses } from '../support/place-fetcher.ts';

const MINUTE_MS = 60_000;
const origin = 'https://raw.example';
let nowMs: number;
let pauses: OriginPauses;
let shared: SharedPauses;

beforeEach(() => {
  nowMs = 1_000_000_000;
  shared = memorySharedPauses();
  pauses = createOriginPauses(() => nowMs, shared);
});

const enter = (through = pauses, name = origin, signal = new AbortController().signal) => through.enter(name, signal);
async function pass(through = pauses): Promise<RequestPermit> {
  const entered = await enter(through);
  if ('remainingMs' in entered) throw new Error(`paused for ${entered.remainingMs} ms`);
  return entered;
}
/** How many of several requests are let through before any of them is answered. */
async function passing(count: number): Promise<number> {
  let passed = 0;
  for (let asked = 0; asked < count; asked++)
    void enter().then((entered) => (passed += 'remainingMs' in entered ? 0 : 1));
  await new Promise(setImmediate);
  return passed;
}

describe('a new origin', () => {
  test('receives one request; the others follow its response', async () => {
    const first = await pass();
    expect(await passing(20)).toBe(0);
    first.answered(undefined);
    expect(await passing(20)).toBe(20);
  });

  test('delays no request to another origin', async () => {
    await pass();
    await expect(enter(pauses, 'https://api.example')).resolves.not.toHaveProperty('remainingMs');
  });

  test('receives the other requests during an outage', async () => {
    (await pass()).failed();
    expect(await passing(20)).toBe(20);
  });

  test('stops a request from waiting when its signal aborts', async () => {
    await pass();
    const ended = new AbortController();
    const waiting = enter(pauses, origin, ended.signal);
    ended.abort();
    expect(await waiting).toMatchObject({ remainingMs: 5_000 });
  });
});

describe('a refusal', () => {
  test('with a time delays every request until then, also waiting ones', async () => {
    const first = await pass();
    const waiting = enter();
    expect(first.refused(MINUTE_MS, 'status 429')).toBe(MINUTE_MS);
    const paused = { remainingMs: MINUTE_MS, because: 'status 429 to an earlier request' };
    expect(await waiting).toEqual(paused);
    nowMs += MINUTE_MS - 1;
    expect(await enter()).toEqual({ ...paused, remainingMs: 1 });
    nowMs += 1;
    const trial = await pass();
    expect(await passing(20)).toBe(0);
    trial.answered(undefined);
    expect(await passing(20)).toBe(20);
  });

  test('without a time pauses a minute, doubled while the origin refuses, up to half an hour', async () => {
    const waits = [];
    for (let refusal = 0; refusal < 7; refusal++) {
      waits.push((await pass()).refused(undefined, 'status 429') / MINUTE_MS);
      nowMs += (waits.at(-1) ?? 0) * MINUTE_MS;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
    (await pass()).answered(undefined);
    expect((await pass()).refused(undefined, 'status 429')).toBe(MINUTE_MS);
  });

  test('of one second, repeated, pauses longer each time', async () => {
    const waits = [];
    for (let refusal = 0; refusal < 5; refusal++) {
      waits.push((await pass()).refused(1_000, 'status 429'));
      nowMs += waits.at(-1) ?? 0;
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });

  test('of concurrent requests counts once', async () => {
    (await pass()).answered(undefined);
    const together = [await pass(), await pass(), await pass()];
    expect(together.map((one) => one.refused(undefined, 'status 429'))).toEqual([MINUTE_MS, MINUTE_MS, MINUTE_MS]);
  });

  test('is not ended by the response to an earlier request', async () => {
    (await pass()).answered(undefined);
    const [early, refused] = [await pass(), await pass()];
    refused.refused(MINUTE_MS, 'status 429');
    early.answered(undefined);
    expect(await enter()).toMatchObject({ remainingMs: MINUTE_MS });
  });

  test('of days is probed after two hours', async () => {
    const days = 7 * 24 * 60 * MINUTE_MS;
    expect((await pass()).refused(days, 'status 429')).toBe(days);
    expect(await enter()).toMatchObject({ remainingMs: 120 * MINUTE_MS });
    nowMs += 120 * MINUTE_MS;
    expect(await passing(3)).toBe(1);
  });
});

describe('a refusal without a reason', () => {
  test('of one URL, however often, delays no other', async () => {
    for (let refusal = 0; refusal < 9; refusal++) expect((await pass()).refusedUnexplained('/blocked')).toBeUndefined();
    (await pass()).answered(undefined);
    expect(await passing(20)).toBe(20);
  });

  test('of three URLs in a row pauses the origin', async () => {
    expect((await pass()).refusedUnexplained('/a')).toBeUndefined();
    expect((await pass()).refusedUnexplained('/b')).toBeUndefined();
    expect((await pass()).refusedUnexplained('/c')).toBe(MINUTE_MS);
    expect(await enter()).toMatchObject({ remainingMs: MINUTE_MS });
  });
});

describe('a quota', () => {
  test('that is exhausted pauses the origin until it resets', async () => {
    (await pass()).answered({ remaining: 0, resetMs: 5 * MINUTE_MS });
    expect(await enter()).toEqual({ remainingMs: 5 * MINUTE_MS, because: 'its quota is exhausted' });
  });

  test('without a reset time pauses it for a minute', async () => {
    (await pass()).answered({ remaining: 0, resetMs: undefined });
    expect(await enter()).toMatchObject({ remainingMs: MINUTE_MS });
  });

  test('limits concurrent requests to what remains of it', async () => {
    (await pass()).answered({ remaining: 3, resetMs: MINUTE_MS });
    expect(await passing(20)).toBe(3);
  });
});

test('a pause that begins while the stored ones are read holds the request back', async () => {
  let answer = (): void => undefined;
  let isSlow = false;
  const slow = createOriginPauses(() => nowMs, {
    ...shared,
    get: async () => {
      if (isSlow) await new Promise<void>((resolve) => (answer = resolve));
      return undefined;
    },
  });
  (await pass(slow)).answered(undefined);
  const early = await pass(slow);
  isSlow = true;
  const late = enter(slow);
  early.refused(MINUTE_MS, 'status 429');
  answer();
  expect(await late).toEqual({ remainingMs: MINUTE_MS, because: 'status 429 to an earlier request' });
});

describe('another process', () => {
  const startOther = (): OriginPauses => createOriginPauses(() => nowMs, shared);

  test('keeps the pause, also if it starts during it, and then sends one request', async () => {
    const early = startOther();
    (await pass(early)).answered(undefined);
    (await pass()).refused(MINUTE_MS, 'status 429');
    await pauses.saved();
    nowMs += 1_000;
    const paused = { remainingMs: MINUTE_MS - 1_000, because: 'status 429 to an earlier request' };
    for (const other of [early, startOther()]) expect(await enter(other)).toEqual(paused);
    nowMs += MINUTE_MS;
    await pass(early);
    let isSecondSent = false;
    void enter(early).then(() => (isSecondSent = true));
    await new Promise(setImmediate);
    expect(isSecondSent).toBe(false);
  });

  test('lets no request through while the pauses cannot be read, and is not stuck afterwards', async () => {
    const failing = createOriginPauses(() => nowMs, {
      ...shared,
      get: async () => Promise.reject(new Error('the database is away')),
    });
    for (let attempt = 0; attempt < 2; attempt++) await expect(enter(failing)).rejects.toThrow('the database is away');
  });

  test('reports a pause that could not be stored', async () => {
    const failing = createOriginPauses(() => nowMs, {
      ...shared,
      put: async () => Promise.reject(new Error('the database is away')),
    });
    (await pass(failing)).refused(MINUTE_MS, 'status 429');
    await expect(failing.saved()).rejects.toThrow('the database is away');
  });
});
