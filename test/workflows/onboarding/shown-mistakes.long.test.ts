import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { ProviderRecord } from '../../../src/email-provider/email-provider.ts';
import {
  checkNowUpdate,
  extendVerificationUpdate,
  onboardingStateQuery,
  providerReportedSignal,
} from '../../../src/workflows/messages.ts';
import { deadlineKey, findingKey, stageKey } from '../../../src/workflows/search-attributes.ts';
import { gate } from '../../support/held-calls.ts';
import {
  currentDetailsOf,
  manyOnboardings,
  type OnboardingEnvironment,
  whileWaiting,
  withOnboardings,
} from '../../support/onboarding-environment.ts';

const HOUR_MS = 3_600_000;

const mistake = (code: string, status: ProviderRecord['status'] = 'wrong'): Partial<ProviderRecord> => ({
  status,
  findings: [{ code, name: 'k1._domainkey.acme.test', found: [], fix: `Correct ${code}` }],
});
const missing: Partial<ProviderRecord> = { status: 'missing', findings: [] };

/** What the list of the Temporal UI shows of an onboarding. */
async function listed(handle: WorkflowHandle) {
  const { typedSearchAttributes } = await handle.describe();
  return {
    stage: typedSearchAttributes.get(stageKey),
    findings: typedSearchAttributes.get(findingKey),
    deadline: typedSearchAttributes.get(deadlineKey),
  };
}

/** The events of a history, by type. */
async function eventsOf(handle: WorkflowHandle, { history }: OnboardingEnvironment) {
  const { events } = JSON.parse((await history(handle)).json) as {
    events: { eventType: string; userMetadata?: { summary?: { data: string } } }[];
  };
  return {
    all: events.length,
    upserts: events.filter(({ eventType }) => eventType.includes('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES')).length,
    timers: events
      .filter(({ eventType }) => eventType.includes('TIMER_STARTED'))
      .map(({ userMetadata }) => Buffer.from(userMetadata?.summary?.data ?? '', 'base64').toString()),
  };
}

describe('the Search Attributes of an onboarding', () => {
  test('show its stage from the start and clear the deadline at the end, with no event for it', async () => {
    await withOnboardings({ outcome: () => 'queued' }, async (environment) => {
      const { start, sleep, scripted } = environment;
      scripted.script.verified = () => false;
      const handle = await start();
      const [started] = (await handle.fetchHistory()).events ?? [];
      const attributes = started?.workflowExecutionStartedEventAttributes?.searchAttributes?.indexedFields ?? {};
      expect(Buffer.from(attributes['SendoffStage']?.data ?? '').toString()).toBe('"issuingKey"');
      await sleep('1 minute');
      const { startTime } = await handle.describe();
      const waiting = await listed(handle);
      expect(waiting).toMatchObject({ stage: 'awaitingDomain', findings: undefined });
      const window = (waiting.deadline?.getTime() ?? 0) - startTime.getTime();
      expect(Math.abs(window - 72 * HOUR_MS)).toBeLessThan(60_000);

      scripted.script.verified = () => true;
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await sleep('1 minute');
      expect(await listed(handle)).toEqual({ stage: 'awaitingDelivery', findings: undefined, deadline: undefined });
      scripted.script.outcome = () => ({ status: 'delivered', deliveredAt: null });
      await handle.result();
      // The version, awaitingDomain, awaitingDelivery and done.
      expect((await eventsOf(handle, environment)).upserts).toBe(3);
    });
  });

  test('list a mistake once a check finds it, its change, its correction, and nothing after the wait', async () => {
    await whileWaiting({ waited: '1 hour', record: () => missing }, async (environment) => {
      const { handle, sleep, scripted } = environment;
      expect((await listed(handle)).findings).toBeUndefined();

      scripted.script.record = () => mistake('host_doubled');
      await sleep('1 hour');
      expect(await listed(handle)).toMatchObject({ stage: 'awaitingDomain', findings: ['host_doubled'] });
      expect(await currentDetailsOf(handle)).toContain('Correct host');

      scripted.script.record = () => mistake('value_truncated');
      await sleep('2 hours');
      expect((await listed(handle)).findings).toEqual(['value_truncated']);

      // A name server that does not answer does not show that the mistake is gone.
      scripted.script.record = () => mistake('server_failure', 'inconclusive');
      await sleep('2 hours');
      expect((await listed(handle)).findings).toEqual(['value_truncated']);

      scripted.script.record = () => missing;
      await sleep('4 hours');
      expect((await listed(handle)).findings).toBeUndefined();

      scripted.script.record = () => mistake('key_revoked');
      await sleep('6 hours');
      expect((await listed(handle)).findings).toEqual(['key_revoked']);
      scripted.script.verified = () => true;
      await handle.result();
      expect(await listed(handle)).toEqual({ stage: 'done', findings: undefined, deadline: undefined });
      // The version, awaitingDomain, four causes and done.
      expect((await eventsOf(handle, environment)).upserts).toBe(1 + 4 + 1);
    });
  });

  test('follow a cause that flaps five times, and no further', async () => {
    let checks = 0;
    const record = () => (checks % 2 === 1 ? mistake('host_doubled') : missing);
    const before = (call: string): void => {
      if (call === 'getDomain') checks++;
    };
    await withOnboardings({ verified: () => false, record, before }, async (environment) => {
      const { start, scripted } = environment;
      const handle = await start();
      await expect(handle.result()).rejects.toThrow();
      expect(scripted.count('getDomain')).toBeGreaterThan(40);
      const { upserts, all } = await eventsOf(handle, environment);
      // awaitingDomain, five causes, the failure, undoing and done.
      expect(upserts).toBe(1 + 5 + 3);
      expect(all).toBeLessThanOrEqual(60 + 5 * 7);
      expect(await listed(handle)).toEqual({ stage: 'done', findings: undefined, deadline: undefined });
    });
  });

  test('show nothing of an attempt that ends after a check has ended the wait', async () => {
    let checks = 0;
    const { open: letGo, opened: released } = gate();
    const verified = async (): Promise<boolean> => {
      // The answer of POST /domains, the first check, and the first attempt of the poll.
      const number = ++checks;
      if (number === 3) await released;
      return number > 3;
    };
    const record = () => mistake('host_doubled');
    await manyOnboardings({ verified, record, outcome: () => 'queued' }, async ({ start }) => {
      const handle = await start();
      await expect.poll(() => checks).toBe(3);
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await expect.poll(async () => (await listed(handle)).stage).toBe('awaitingDelivery');
      const { records } = await handle.query(onboardingStateQuery);
      letGo();
      await expect
        .poll(async () =>
          (await handle.fetchHistory()).events?.some((event) => event.activityTaskCompletedEventAttributes),
        )
        .toBe(true);
      expect(await handle.query(onboardingStateQuery)).toMatchObject({ stage: 'awaitingDelivery', records });
      expect((await listed(handle)).findings).toBeUndefined();
      await handle.terminate();
    });
  });

  test('follow checkNow as well as the polls', async () => {
    const record = () => mistake('host_doubled');
    await whileWaiting({ waited: '1 minute', record }, async ({ handle }) => {
      expect((await listed(handle)).findings).toEqual(['host_doubled']);
      // The name servers of this test have no record at all.
      expect(await handle.executeUpdate(checkNowUpdate)).toMatchObject({ verified: false, cause: '' });
      expect((await listed(handle)).findings).toBeUndefined();
    });
  });

  test('show the extended window, also in its Timer and in the next poll', async () => {
    await whileWaiting({ waited: '10 hours' }, async (environment) => {
      const { handle, sleep, history } = environment;
      const before = await listed(handle);
      const extension = { hours: 24, by: 'ops', reason: 'the registrar is slow' };
      const { verificationDeadline } = await handle.executeUpdate(extendVerificationUpdate, { args: [extension] });
      await sleep('1 minute');
      const { deadline } = await listed(handle);
      expect((deadline?.getTime() ?? 0) - (before.deadline?.getTime() ?? 0)).toBe(24 * HOUR_MS);
      expect(deadline?.toISOString()).toBe(verificationDeadline);
      expect((await eventsOf(handle, environment)).timers).toEqual([
        '"72 hours for acme.test"',
        '"96 hours for acme.test"',
      ]);
      const { json } = await history(handle);
      const inputs = [...json.matchAll(/"data": ?"([^"]+)"/g)].map(([, data = '']) =>
        Buffer.from(data, 'base64').toString(),
      );
      expect(
        inputs.filter((input) => input.includes('waitingSince')).map((input) => JSON.parse(input) as object),
      ).toMatchObject([{ deadline: before.deadline?.toISOString() }, { deadline: verificationDeadline }]);
    });
  });
});
