import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FailedAttempt, OnboardingStart } from '../../../src/onboarding/onboarding-record.ts';
import type { DnsRecord } from '../../../src/onboarding/dns-record.ts';
import { newOnboarding, type Onboarding } from '../../../src/onboarding/onboarding.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import type { AttemptRun, RecordEnd } from '../../../src/onboarding/record-change.ts';
import type { Register } from '../../../src/store/onboarding/register.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import { dkimRecord, spfRecord } from '../../onboarding/dns-operators/records.ts';
import { recordQueries } from '../../support/record-queries.ts';
import { validInput } from '../../support/valid-input.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
let register: Register;
beforeEach(async () => {
  opened = await openTestRegister();
  ({ register } = opened);
});
afterEach(() => opened.end());

const onboarding: Onboarding = newOnboarding(validInput());
const first: OnboardingStart = {
  tenantId: 'acme',
  attemptId: 'attempt-1',
  startedAt: '2026-01-01T00:00:00.000Z',
  startedWith: validInput(),
};
const second: OnboardingStart = { ...first, attemptId: 'attempt-2', startedAt: '2026-01-02T00:00:00.000Z' };
let seconds = 0;
/** A second later each time. */
const now = (): string => new Date(Date.UTC(2026, 0, 3) + ++seconds * 1_000).toISOString();
const run = (attempt: OnboardingStart, runId = attempt.attemptId): AttemptRun => ({
  tenantId: attempt.tenantId,
  attemptId: attempt.attemptId,
  runId,
  at: now(),
});
const ended = (attempt: OnboardingStart, changes: Partial<RecordEnd> = {}): RecordEnd => ({
  ...attempt,
  ...run(attempt),
  onboarding,
  outcome: 'cancelled',
  result: null,
  failure: null,
  ...changes,
});
const begin = (attempt: OnboardingStart, runId = attempt.attemptId) =>
  register.begin({ ...attempt, ...run(attempt, runId), onboarding });
/** An attempt that fails now. */
const failedAttempt = (activity: string, changes: Partial<FailedAttempt> = {}): FailedAttempt => ({
  ...{ activity, attempt: 1, message: 'm', at: now(), nextAttemptAt: null },
  ...changes,
});
const eventTypes = async (): Promise<string[]> =>
  (await register.events({ after: 0, limit: 100 })).map(({ type }) => type);

test('a database that knows nothing of the tenant says so', async () => {
  expect(await register.enter(run(first), Stage.awaitingDomain)).toEqual({ kind: 'unknown' });
  expect(await register.get('acme')).toBeUndefined();
});

test('stage and ids are kept as they come', async () => {
  expect(await begin(first)).toEqual({ kind: 'current' });
  await register.note(run(first), { keyId: 'key_1' });
  expect(await register.enter(run(first), Stage.registeringDomain)).toEqual({ kind: 'current' });
  await register.note(run(first), { domainId: 'dom_1' });
  expect(await register.get('acme')).toMatchObject({
    ...first,
    outcome: 'running',
    stageSince: expect.stringMatching(/^2026-01-03/) as string,
    onboarding: {
      stage: Stage.registeringDomain,
      stages: [{ stage: Stage.registeringDomain }],
      keyId: 'key_1',
      domainId: 'dom_1',
    },
  });
  expect(await eventTypes()).toEqual(['onboarding.started', 'onboarding.stage_changed']);
});

test('a registered domain is announced once, with its records, when its deadline is known', async () => {
  const deadline = '2026-01-06T00:00:00.000Z';
  await begin(first);
  await register.enter(run(first), Stage.registeringDomain);
  await register.note(run(first), { domainId: 'dom_1', records: [] });
  await register.enter(run(first), Stage.awaitingDomain, deadline);
  await register.enter(run(first), Stage.creatingSender);
  await register.enter(run(first), Stage.awaitingDomain, deadline);
  const events = await register.events({ after: 0, limit: 100 });
  expect(events.filter(({ type }) => type === 'onboarding.domain_registered')).toMatchObject([
    { data: { domainId: 'dom_1', deadline, records: [] } },
  ]);
});

test('an attempt of an earlier stage that resumes late changes neither the stage nor what is shown', async () => {
  await begin(first);
  const poll = { ...run(first), stagesEntered: 4 };
  await register.enter(poll, Stage.awaitingDomain);
  await register.enter({ ...run(first), stagesEntered: 5 }, Stage.creatingSender);
  expect(await register.enter(poll, Stage.awaitingDomain)).toEqual({ kind: 'current' });
  await register.noteAttempt(poll, 'checkDomain', failedAttempt('checkDomain', { attempt: 9 }));
  await register.note(poll, { keyId: 'key_1' });
  expect(await register.get('acme')).toMatchObject({ stagesEntered: 5, waiting: null, onboarding: { keyId: 'key_1' } });
  expect((await register.get('acme'))?.onboarding.stage).toBe(Stage.creatingSender);
  // F2 goes back, as a Reset does.
  await register.enter({ ...run(first), stagesEntered: 6 }, Stage.awaitingDomain);
  expect((await register.get('acme'))?.onboarding).toMatchObject({ stage: Stage.awaitingDomain, timesNotVerified: 1 });
  await register.enter({ ...run(first, 'reset-run'), stagesEntered: 2 }, Stage.registeringDomain);
  expect((await register.get('acme'))?.onboarding.stage).toBe(Stage.registeringDomain);
});

test('a run that ends before its wait began tells of no registered domain', async () => {
  await begin(first);
  await register.note(run(first), { domainId: 'dom_1' });
  const end = ended(first);
  const verificationDeadline = '2026-01-06T00:00:00.000Z';
  await register.end({ ...end, onboarding: { ...end.onboarding, domainId: 'dom_1', verificationDeadline } });
  expect(await eventTypes()).toEqual(['onboarding.started', 'onboarding.cancelled']);
});

test.each(['onboarded', 'failed'] as const)(
  'a cancellation does not replace the end %s of its own run',
  async (outcome) => {
    await begin(first);
    await register.end(ended(first, { outcome }));
    expect(await register.end(ended(first))).toMatchObject({ kind: 'over', record: { outcome } });
    expect((await register.get('acme'))?.outcome).toBe(outcome);
  },
);

test('an end that was looked up is not recorded if a Reset has continued the onboarding since', async () => {
  await begin(first);
  const lookedUp = ended(first, { outcome: 'terminated', recordedRunId: first.attemptId });
  await register.note(run(first, 'reset-run'), { keyId: 'key_1' });
  expect(await register.end(lookedUp)).toMatchObject({ kind: 'over', record: { outcome: 'running' } });
  expect(await register.get('acme')).toMatchObject({ outcome: 'running', runId: 'reset-run' });
  expect(await register.end({ ...lookedUp, recordedRunId: 'reset-run' })).toEqual({ kind: 'current' });
  expect(await eventTypes()).toEqual(['onboarding.started', 'onboarding.terminated']);
});

test('an end keeps what a lost Workflow Task created after the Workflow knew', async () => {
  await begin(first);
  await register.note(run(first), { senderId: 'snd_1', emailId: 'eml_1' });
  await register.end(ended(first, { outcome: 'failed' }));
  expect((await register.get('acme'))?.onboarding).toMatchObject({ senderId: 'snd_1', emailId: 'eml_1' });
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
    const record = await register.get('acme');
    expect(record?.outcome).toBe('cancelled');
    const over = { kind: 'over', record };
    expect(await begin(first, 'reset-run')).toEqual(over);
    expect(await register.enter(run(first, 'reset-run'), Stage.awaitingDomain)).toEqual(over);
    expect(await register.enter(run(first, 'reset-run'), Stage.undoing)).toEqual(over);
    await register.note(run(first, 'reset-run'), { senderId: 'snd_1' });
    expect(await register.end(ended(first, { runId: 'reset-run', outcome: 'failed' }))).toEqual(over);
    expect(await register.get('acme')).toEqual(record);
  });
});

test.each(['onboarded', 'failed'] as const)(
  'a step that is repeated after the run has ended as %s is refused',
  async (outcome) => {
    await begin(first);
    await register.end(ended(first, { outcome }));
    const record = await register.get('acme');
    const over = { kind: 'over', record };
    expect(await begin(first)).toEqual(over);
    expect(await register.enter(run(first), Stage.creatingSender)).toEqual(over);
    expect(await register.get('acme')).toEqual(record);
  },
);

test('a success that is recorded late, while another Worker undoes the run, is refused', async () => {
  await begin(first);
  await register.enter(run(first), Stage.undoing);
  expect(await register.end(ended(first, { outcome: 'onboarded' }))).toMatchObject({ kind: 'over' });
  expect(await register.get('acme')).toMatchObject({ outcome: 'running', onboarding: { stage: 'undoing' } });
  expect(await register.end(ended(first))).toEqual({ kind: 'current' });
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

test('an attempt that ends after the termination of its run keeps what it created, and does not revive the onboarding', async () => {
  await begin(first);
  const step = run(first);
  await register.end(ended(first, { outcome: 'terminated' }));
  await register.enter(step, Stage.creatingSender);
  await register.note(step, { senderId: 'snd_1' });
  await register.noteAttempt(step, 'createSender', failedAttempt('createSender'));
  expect(await register.get('acme')).toMatchObject({
    outcome: 'terminated',
    waiting: null,
    endedAt: expect.any(String) as string,
    onboarding: { senderId: 'snd_1' },
  });
  expect((await eventTypes()).filter((type) => type === 'onboarding.terminated')).toHaveLength(1);
});

describe.each(['onboarded', 'failed', 'cancelled'] as const)(
  'an attempt that ends after its run has recorded the end as %s',
  (outcome) => {
    const records = [{ purpose: 'dkim', status: 'missing', findings: [] }] as unknown as DnsRecord[];
    let step: AttemptRun;
    beforeEach(async () => {
      await begin(first);
      step = { ...run(first), stagesEntered: 4 };
      await register.enter(step, Stage.awaitingDomain);
      await register.note({ ...run(first), stagesEntered: 5 }, { domainId: 'dom_1', stage: Stage.creatingSender });
      const end = { outcome, onboarding: { ...onboarding, domainId: 'dom_1', stage: Stage.done } };
      await register.end(ended(first, end));
    });

    test('changes nothing with what a check or a failed attempt saw', async () => {
      const record = await register.get('acme');
      const events = await eventTypes();
      const failed = failedAttempt('checkEmail');
      for (const late of [step, run(first)]) {
        await register.note(late, { records }, now());
        await register.note(late, { records, stage: Stage.creatingSender }, now());
        await register.noteAttempt({ ...late, at: now() }, 'checkEmail', failed, records);
      }
      expect(await register.get('acme')).toEqual(record);
      expect(await eventTypes()).toEqual(events);
    });

    test('adds what a step created, and the end and its event stay', async () => {
      const record = await register.get('acme');
      await register.note(run(first), { senderId: 'snd_1', stage: Stage.sendingFirstEmail });
      expect(await register.get('acme')).toEqual({
        ...record,
        onboarding: { ...record?.onboarding, senderId: 'snd_1' },
        updatedAt: expect.any(String) as string,
      });
      expect((await eventTypes()).filter((type) => type === `onboarding.${outcome}`)).toHaveLength(1);
    });
  },
);

test('what a step created is kept although another run has begun the undo, and the stage stays', async () => {
  await begin(first);
  await register.enter({ ...run(first, 'reset-run'), stagesEntered: 2 }, Stage.undoing);
  await register.note({ ...run(first), stagesEntered: 3 }, { senderId: 'snd_1', stage: Stage.sendingFirstEmail });
  const record = await register.get('acme');
  expect(record?.onboarding).toMatchObject({ stage: Stage.undoing, senderId: 'snd_1' });
});

test('the stage that a step enters shows no failed attempt of the step', async () => {
  await begin(first);
  await register.noteAttempt(run(first), 'issueApiKey', failedAttempt('issueApiKey'));
  await register.note({ ...run(first), stagesEntered: 2 }, { keyId: 'key_1', stage: Stage.registeringWebhook });
  expect(await register.get('acme')).toMatchObject({
    waiting: null,
    stagesEntered: 2,
    onboarding: { stage: Stage.registeringWebhook, keyId: 'key_1' },
  });
});

test('a deadline moves only forward within a run', async () => {
  await begin(first);
  const deadlineAfter = async (deadline: string, by = run(first)) => {
    await register.enter(by, Stage.awaitingDomain, deadline);
    return (await register.get('acme'))?.onboarding.verificationDeadline;
  };
  expect(await deadlineAfter('2026-01-06T00:00:00.000Z')).toBe('2026-01-06T00:00:00.000Z');
  await register.note(run(first), { verificationDeadline: '2026-01-09T00:00:00.000Z' });
  expect(await deadlineAfter('2026-01-06T00:00:00.000Z')).toBe('2026-01-09T00:00:00.000Z');
  expect(await deadlineAfter('2026-01-06T00:00:00.000Z', run(first, 'reset-run'))).toBe('2026-01-06T00:00:00.000Z');
});

describe('a check', () => {
  const deadline = '2026-01-06T00:00:00.000Z';
  const records = (...codes: string[]): DnsRecord[] => [
    {
      ...{ ...dkimRecord, status: 'wrong' },
      findings: codes.map((code) => ({ code, name: 'x.acme.com', fix: `fix ${code}` })),
    },
  ];
  const check = (codes: string[], at = now()) =>
    register.note({ ...run(first), at }, { records: records(...codes) }, at);
  const needs = async () =>
    (await register.events({ after: 0, limit: 100 })).filter(({ type }) => type === 'onboarding.needs_attention');
  beforeEach(async () => {
    await begin(first);
    await register.enter(run(first), Stage.awaitingDomain, deadline);
  });

  test('reports a cause once, and again when another one appears', async () => {
    await check(['not_published']);
    expect(await needs()).toEqual([]);
    await check(['host_doubled']);
    await check(['host_doubled']);
    await check([]);
    await check(['host_doubled']);
    expect(await needs()).toMatchObject([
      { tenantId: 'acme', data: { reason: 'dns', deadline, findings: [{ code: 'host_doubled', purpose: 'dkim' }] } },
    ]);
    await check(['host_doubled', 'value_quoted']);
    await check(['value_quoted']);
    await check(['host_doubled']);
    expect((await needs()).map(({ data }) => (data['findings'] as { code: string }[]).map(({ code }) => code))).toEqual(
      [['host_doubled'], ['host_doubled', 'value_quoted']],
    );
  });

  test('that finds the domain verified by a clock that is behind still shows what it found', async () => {
    const early = now();
    await check(['host_doubled']);
    const verified = { ...run(first), at: early, stagesEntered: 5 };
    await register.note(verified, { records: records(), stage: Stage.creatingSender }, early);
    expect((await register.get('acme'))?.onboarding).toMatchObject({ stage: 'creatingSender', records: records() });
  });

  test('that ends after a later one changes nothing', async () => {
    const early = now();
    await check(['value_quoted']);
    await check(['host_doubled'], early);
    expect((await register.get('acme'))?.attention).toMatchObject({ cause: 'value_quoted@x.acme.com' });
  });

  test('within a day of the deadline says so once per deadline', async () => {
    await check(['not_published'], '2026-01-04T23:00:00.000Z');
    expect(await needs()).toEqual([]);
    await check(['not_published'], '2026-01-05T00:30:00.000Z');
    await check(['not_published'], '2026-01-05T04:30:00.000Z');
    expect(await needs()).toMatchObject([
      { data: { reason: 'deadline', deadline, records: [{ findings: [{ code: 'not_published' }] }] } },
    ]);
    await register.enter(
      { ...run(first), at: '2026-01-05T05:00:00.000Z' },
      Stage.awaitingDomain,
      '2026-01-09T00:00:00.000Z',
    );
    expect(await needs()).toHaveLength(1);
    expect(await eventTypes()).toContain('onboarding.extended');
    await check(['not_published'], '2026-01-08T05:00:00.000Z');
    expect(await needs()).toHaveLength(2);
  });

  test('shows the last failed attempt until the Activity succeeds or the stage ends', async () => {
    const early = failedAttempt('checkDomain');
    const late = failedAttempt('checkDomain', { attempt: 2 });
    await register.noteAttempt(run(first), 'checkDomain', late);
    await register.noteAttempt(run(first), 'checkDomain', early);
    await register.noteAttempt(run(first), 'checkEmail', null);
    expect((await register.get('acme'))?.waiting).toEqual(late);
    await register.noteAttempt(run(first), 'checkDomain', null);
    expect((await register.get('acme'))?.waiting).toBeNull();
    await register.noteAttempt(run(first), 'checkDomain', failedAttempt('checkDomain', { attempt: 2 }));
    await register.enter(run(first), Stage.creatingSender);
    expect(await register.get('acme')).toMatchObject({ waiting: null, verifiedAt: expect.any(String) as string });
  });

  test('leaves its records when the onboarding ends with older ones', async () => {
    await check(['host_doubled']);
    await register.end(ended(first));
    expect(await register.get('acme')).toMatchObject({
      attention: null,
      endedAt: expect.any(String) as string,
      onboarding: { records: [{ findings: [{ code: 'host_doubled' }] }] },
    });
  });
});

test('an announced start is replaced by the first step, and announces nothing afterwards', async () => {
  await register.announce({ ...first, startedAt: '2026-01-01T00:00:09.000Z', ...run(first), onboarding });
  expect(await register.get('acme')).toMatchObject({ startedAt: '2026-01-01T00:00:09.000Z', outcome: 'running' });
  expect(await begin(first)).toEqual({ kind: 'current' });
  expect(await register.get('acme')).toMatchObject({ startedAt: first.startedAt });
  await begin(second);
  await register.announce({ ...first, ...run(first), onboarding });
  expect(await register.get('acme')).toMatchObject({ attemptId: 'attempt-2' });
  expect(await eventTypes()).toEqual(['onboarding.started', 'onboarding.started']);
});

test('the three with a mistake are found among others, page by page', async () => {
  const record = (code: string): DnsRecord => ({
    ...spfRecord,
    findings: [{ code, name: spfRecord.name, fix: 'fix' }],
  });
  const wrong = new Set([7, 20, 39]);
  for (let index = 0; index < 40; index++) {
    const attempt = {
      ...first,
      tenantId: `Tenant-${index}`,
      startedAt: new Date(Date.UTC(2026, 0, 1) + (index % 20) * 1_000).toISOString(),
    };
    await register.begin({ ...attempt, ...run(attempt), onboarding: { ...onboarding, domain: `d${index}.example` } });
    await register.enter(run(attempt), Stage.awaitingDomain, '2026-01-06T00:00:00.000Z');
    const code = wrong.has(index) ? 'host_doubled' : 'not_published';
    await register.note(run(attempt), { records: [record(code)] }, now());
  }
  const tenants = (found: { tenantId: string }[]) => found.map(({ tenantId }) => tenantId).sort();
  const expected = ['Tenant-20', 'Tenant-39', 'Tenant-7'];
  expect(tenants(await register.list({ needsAttention: true }, { limit: 100 }))).toEqual(expected);
  expect(tenants(await register.list({ finding: 'host_doubled' }, { limit: 100 }))).toEqual(expected);
  expect(tenants(await register.list({ text: 'tenant-39' }, { limit: 100 }))).toEqual(['Tenant-39']);
  expect(tenants(await register.list({ text: 'D20.' }, { limit: 100 }))).toEqual(['Tenant-20']);
  const searched = await register.list({ text: 'tenant-3', outcome: 'running' }, { limit: 100 });
  expect(searched).toHaveLength(11);
  expect([
    ...(await register.list({ text: 'tenant-3', outcome: 'running' }, { limit: 4 })),
    ...(await register.list({ text: 'tenant-3', outcome: 'running' }, { limit: 100, after: searched[3] })),
  ]).toEqual(searched);
  const [{ stageSince } = { stageSince: '' }] = await register.list({ text: 'tenant-9' }, { limit: 1 });
  expect(await register.list({ waitingSinceBefore: stageSince }, { limit: 300 })).toHaveLength(9);
  expect(await register.list({ stage: Stage.creatingSender }, { limit: 1 })).toEqual([]);
  const seen: string[] = [];
  for (let after; ;) {
    const page = await register.list({ outcome: 'running' }, { limit: 7, after });
    seen.push(...page.map(({ tenantId }) => tenantId));
    after = page.at(-1);
    if (page.length < 7) break;
  }
  expect(new Set(seen).size).toBe(40);
  expect(seen).toHaveLength(40);
});

test('a check writes no column that has an index', async () => {
  const { database, queries } = recordQueries(opened.database);
  const recorded = createSqlRegister(database);
  await recorded.begin({ ...first, ...run(first), onboarding });
  await recorded.note(run(first), { records: [] }, now());
  const updates = [...queries].filter((query) => query.startsWith('update "onboardings"'));
  // Queries of PostgreSQL are not recorded; it compares the values itself.
  for (const update of updates) {
    const columns = [...update.matchAll(/"(\w+)" = /g)].map(([, column]) => column);
    expect(columns).toEqual(['checked_at', 'updated_at', 'tenant_id']);
  }
});

test('only notified events wait for delivery, and only where the backend is notified', async () => {
  const notified: string[] = [];
  const notifying = createSqlRegister(opened.database, { notify: true, onNotification: (id) => notified.push(id) });
  await notifying.begin({ ...first, ...run(first), onboarding });
  expect(notified).toEqual([]);
  await notifying.note(run(first), { domainId: 'dom_1' });
  await notifying.enter(run(first), Stage.awaitingDomain, '2026-01-06T00:00:00.000Z');
  const waited = (await notifying.get('acme'))?.onboarding ?? onboarding;
  await notifying.end(ended(first, { onboarding: waited }));
  expect(notified).toEqual(['acme', 'acme']);
  const rows = await opened.database
    .selectFrom('onboarding_events')
    .select(['type', 'delivery'])
    .orderBy('id')
    .execute();
  expect(rows).toEqual([
    { type: 'onboarding.started', delivery: 'none' },
    { type: 'onboarding.stage_changed', delivery: 'none' },
    { type: 'onboarding.domain_registered', delivery: 'pending' },
    { type: 'onboarding.cancelled', delivery: 'pending' },
  ]);
});

test('an extension is seen before the next attempt of the poll, and never moves the deadline back', async () => {
  const deadlineOf = async () => (await register.get('acme'))?.onboarding.verificationDeadline;
  const extend = (attempt: OnboardingStart, deadline: string) => register.extend({ ...run(attempt) }, deadline);
  await begin(first);
  await extend(first, '2026-01-05T00:00:00.000Z');
  expect(await deadlineOf()).toBeNull();
  await register.enter(run(first), Stage.awaitingDomain, '2026-01-06T00:00:00.000Z');

  await extend(first, '2026-01-07T00:00:00.000Z');
  await extend(first, '2026-01-05T00:00:00.000Z');
  await extend(second, '2026-01-08T00:00:00.000Z');
  expect(await deadlineOf()).toBe('2026-01-07T00:00:00.000Z');
  // The poll that was scheduled before the extension, and the one after it.
  await register.enter(run(first), Stage.awaitingDomain, '2026-01-06T00:00:00.000Z');
  await register.enter(run(first), Stage.awaitingDomain, '2026-01-07T00:00:00.000Z');
  expect(await deadlineOf()).toBe('2026-01-07T00:00:00.000Z');
  expect((await eventTypes()).filter((type) => type === 'onboarding.extended')).toHaveLength(1);

  await register.end(ended(first));
  await extend(first, '2026-01-09T00:00:00.000Z');
  expect(await deadlineOf()).toBeNull();
});
