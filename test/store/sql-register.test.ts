import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OnboardingAttempt, OnboardingRecord } from '../../src/onboarding/onboarding-record.ts';
import { newOnboarding, type Onboarding } from '../../src/onboarding/onboarding.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import type { Register } from '../../src/store/register.ts';
import { validInput } from '../support/onboarding-environment.ts';
import { openTestRegister, type TestRegister } from '../support/test-register.ts';

let opened: TestRegister;
let register: Register;
beforeEach(async () => {
  opened = await openTestRegister();
  ({ register } = opened);
});
afterEach(() => opened.end());

const onboarding: Onboarding = newOnboarding(validInput());
const first: OnboardingAttempt = {
  tenantId: 'acme',
  attemptId: 'attempt-1',
  startedAt: '2026-01-01T00:00:00.000Z',
  startedWith: validInput(),
};
const second: OnboardingAttempt = { ...first, attemptId: 'attempt-2', startedAt: '2026-01-02T00:00:00.000Z' };
const run = (attempt: OnboardingAttempt, runId = attempt.attemptId) => ({ ...attempt, runId });
const ended = (attempt: OnboardingAttempt, changes: Partial<OnboardingRecord> = {}): OnboardingRecord => ({
  ...run(attempt),
  onboarding,
  outcome: 'cancelled',
  result: null,
  failure: null,
  ...changes,
});
const begin = (attempt: OnboardingAttempt, runId = attempt.attemptId) => register.begin(attempt, { runId, onboarding });

test('a database that knows nothing of the tenant says so', async () => {
  expect(await register.enter(run(first), Stage.awaitingDomain)).toEqual({ kind: 'unknown' });
  expect(await register.get('acme')).toBeUndefined();
});

test('stage and ids are kept as they come', async () => {
  expect(await begin(first)).toEqual({ kind: 'current' });
  await register.note(run(first), { keyId: 'key_1' });
  expect(await register.enter(run(first), Stage.registeringDomain)).toEqual({ kind: 'current' });
  await register.note(run(first), { domainId: 'dom_1' });
  expect(await register.get('acme')).toEqual({
    ...ended(first, { outcome: 'running' }),
    onboarding: { ...onboarding, stage: Stage.registeringDomain, keyId: 'key_1', domainId: 'dom_1' },
  });
});

test('a step that is repeated begins nothing anew', async () => {
  await begin(first);
  await register.note(run(first), { keyId: 'key_1' });
  expect(await begin(first)).toEqual({ kind: 'current' });
  expect((await register.get('acme'))?.onboarding.keyId).toBe('key_1');
});

describe('what comes late changes nothing', () => {
  test('from an attempt that a later one has replaced', async () => {
    await begin(first);
    await begin(second);
    const record = await register.get('acme');
    expect(record?.attemptId).toBe('attempt-2');
    const over = { kind: 'over', record };
    await register.note(run(first), { keyId: 'key_1' });
    expect(await begin(first)).toEqual(over);
    expect(await register.enter(run(first), Stage.creatingSender)).toEqual(over);
    expect(await register.end(ended(first))).toEqual(over);
    expect(await register.get('acme')).toEqual(record);
  });

  test('from another run of an attempt that has ended', async () => {
    await begin(first);
    expect(await register.end(ended(first))).toEqual({ kind: 'current' });
    // The Workflow Task that recorded it was lost.
    expect(await register.end(ended(first))).toEqual({ kind: 'current' });
    const over = { kind: 'over', record: ended(first) };
    expect(await begin(first, 'reset-run')).toEqual(over);
    expect(await register.enter(run(first, 'reset-run'), Stage.awaitingDomain)).toEqual(over);
    expect(await register.enter(run(first, 'reset-run'), Stage.undoing)).toEqual(over);
    await register.note(run(first, 'reset-run'), { senderId: 'snd_1' });
    expect(await register.end(ended(first, { runId: 'reset-run', outcome: 'failed' }))).toEqual(over);
    expect(await register.get('acme')).toEqual(ended(first));
  });
});

test('a reset goes on from a run that was under way or terminated, but not from an undo', async () => {
  await begin(first);
  expect(await register.enter(run(first, 'reset-run'), Stage.registeringDomain)).toEqual({ kind: 'current' });
  await register.end(ended(first, { runId: 'reset-run', outcome: 'terminated' }));
  expect(await register.enter(run(first, 'next-run'), Stage.awaitingDomain)).toEqual({ kind: 'current' });
  expect(await register.get('acme')).toMatchObject({ outcome: 'running', runId: 'next-run' });
  expect(await register.enter(run(first, 'next-run'), Stage.undoing)).toEqual({ kind: 'current' });
  expect(await register.enter(run(first, 'last-run'), Stage.undoing)).toEqual({ kind: 'current' });
  expect(await register.enter(run(first, 'last-run'), Stage.creatingSender)).toMatchObject({ kind: 'over' });
});

test('many writers at once lose nothing', async () => {
  await begin(first);
  const notes: Partial<Onboarding>[] = [{ keyId: 'a' }, { webhookId: 'b' }, { domainId: 'c' }, { senderId: 'd' }];
  await Promise.all(notes.map((made) => register.note(run(first), made)));
  expect((await register.get('acme'))?.onboarding).toMatchObject(Object.assign({}, ...notes) as object);
});
