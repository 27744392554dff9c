import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { checkNowUpdate, onboardingStateQuery, providerReportedSignal } from '../../../src/workflows/messages.ts';
import {
  failureOf,
  hoursSinceFirstAsked,
  hoursTaken,
  outage,
  realServer,
  shortestPauses,
  validInput,
  whileWaiting,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import { noAnswer, type Script, type ScriptedProvider } from '../../support/scripted-provider.ts';
import type { TestServer } from '../../support/temporal.ts';

/** A zone that is right from an hour on, at a provider that sees it at once. */
const fixedAfter =
  (hours: number) =>
  (clock: () => Promise<number>): Partial<Script> => {
    const elapsedHours = hoursSinceFirstAsked(clock);
    return { verified: async () => (await elapsedHours()) >= hours };
  };

/** The Idempotency-Keys of POST /domains/{id}/verify from now on. */
function notedVerificationKeys({ provider }: ScriptedProvider): string[] {
  const keys: string[] = [];
  const withKey = provider.withKey.bind(provider);
  provider.withKey = (token) => {
    const account = withKey(token);
    return {
      ...account,
      requestVerification(id, options) {
        keys.push(options.idempotencyKey);
        return account.requestVerification(id, options);
      },
    };
  };
  return keys;
}

/** An attempt of the final check, which alone asks the provider to verify, has failed, and the next one is due. */
async function untilLookedInVain(handle: WorkflowHandle, keys: readonly string[]): Promise<void> {
  const before = keys.length;
  await expect.poll(() => keys.length).toBeGreaterThan(before);
  const attempt = async (): Promise<number> => {
    const { pendingActivities } = (await handle.describe()).raw;
    return pendingActivities?.find(({ activityType }) => activityType?.name === 'checkDomain')?.attempt ?? 0;
  };
  await expect.poll(attempt, { timeout: 30_000 }).toBeGreaterThan(1);
}

/** The run that begins again at the Workflow Task that scheduled this Activity. */
async function resetTo(
  { workflowTaskCompletedEventId }: Awaited<ReturnType<typeof activityScheduled>>,
  { workflowId }: WorkflowHandle,
  { environment, namespace }: TestServer,
): Promise<WorkflowHandle> {
  const { runId } = await environment.connection.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: workflowTaskCompletedEventId ?? null,
    requestId: 'reset-1',
    reason: 'a look with the same Activity Id and attempt',
  });
  return environment.client.workflow.getHandle(workflowId, runId);
}

/** The event that scheduled an Activity of this type last. */
async function activityScheduled(handle: WorkflowHandle, type: string) {
  const { events } = await handle.fetchHistory();
  const scheduled = events
    ?.map((event) => event.activityTaskScheduledEventAttributes)
    .findLast((attributes) => attributes?.activityType?.name === type);
  if (!scheduled) throw new Error(`no ${type} in the history`);
  return scheduled;
}

describe('the deadline of the verification window', () => {
  test('a domain fixed a minute before it is onboarded by the final check', async () => {
    await withOnboardings(fixedAfter(72 - 1 / 60), async ({ start, scripted }) => {
      const handle = await start();
      await handle.result();
      expect(scripted.count('requestVerification')).toBe(1);
      expect(await hoursTaken(handle)).toBeLessThan(72.1);
    });
  });

  test('a domain fixed a minute after it ends as F1, and a restart is onboarded with the same records', async () => {
    await withOnboardings(fixedAfter(72 + 1 / 60), async ({ start, scripted }) => {
      const failed = await start();
      expect(await failureOf(failed)).toMatchObject({ details: { exit: 'F1', conclusive: true } });
      const { domainId, records } = await failed.query(onboardingStateQuery);
      const again = await start();
      const result = (await again.result()) as { domainId: string };
      expect(result.domainId).toBe(domainId);
      const now = await again.query(onboardingStateQuery);
      expect(now.records.map(({ name, value }) => [name, value])).toEqual(
        records.map(({ name, value }) => [name, value]),
      );
      expect(scripted.createdFor('acme').filter((id) => id.startsWith('dom'))).toEqual([domainId]);
    });
  });
});

describe('the final check', () => {
  test('continues with a domain that the provider verifies while the zone is queried, whatever the zone answers', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, scripted }) => {
      scripted.script.dns = () => {
        scripted.script.verified = () => true;
        return 'missing';
      };
      const handle = await start();
      await handle.result();
      expect(scripted.count('requestVerification')).toBe(1);
      expect((await handle.query(onboardingStateQuery)).badEnd).toBeNull();
    });
  });

  test('uses a new Idempotency-Key for POST /verify after a reset, though Activity ID and attempt repeat', async () => {
    // On the real server: the time-skipping one has no resets.
    await withOnboardings(
      { verified: () => false, dns: () => 'inconclusive' },
      async ({ start, scripted, server }) => {
        const keys = notedVerificationKeys(scripted);
        const handle = await start(validInput({ verificationWindow: '1 second' }));
        await untilLookedInVain(handle, keys);
        const before = await activityScheduled(handle, 'checkDomain');
        const again = await resetTo(before, handle, server);
        await untilLookedInVain(again, keys);
        expect((await activityScheduled(again, 'checkDomain')).activityId).toBe(before.activityId);
        expect(keys.length).toBeGreaterThan(1);
        expect(new Set(keys).size).toBe(keys.length);
        await again.terminate();
      },
      { startServer: realServer },
    );
  });
});

describe('the final check, while inconclusive', () => {
  test('a webhook during its pause checks at once', async () => {
    await whileWaiting({ waited: '82 hours', dns: () => 'inconclusive' }, async ({ handle, scripted }) => {
      const checks = scripted.count('requestVerification');
      scripted.script.verified = () => true;
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await handle.result();
      expect(scripted.count('requestVerification')).toBe(checks + 1);
      expect(await hoursTaken(handle)).toBeLessThan(82.1);
    });
  });

  test('checkNow during its pause answers, and its finding counts at once', async () => {
    await whileWaiting({ waited: '82 hours', dns: () => 'inconclusive' }, async ({ handle, sleep, scripted }) => {
      expect(await handle.executeUpdate(checkNowUpdate)).toMatchObject({ verified: false, conclusive: false });
      await sleep('1 minute');
      scripted.script.verified = () => true;
      expect(await handle.executeUpdate(checkNowUpdate)).toMatchObject({ verified: true });
      await handle.result();
      expect(await hoursTaken(handle)).toBeLessThan(82.2);
    });
  });

  test('wake-ups do not extend it beyond a day: a silent zone ends as an inconclusive F1', async () => {
    shortestPauses();
    await withOnboardings(
      { verified: () => false, dns: () => 'inconclusive' },
      async ({ start, sleep, scripted, history }) => {
        const handle = await start();
        await sleep('80 hours');
        for (const eventId of ['evt_1', 'evt_2']) {
          await handle.signal(providerReportedSignal, { eventId, type: 'domain.verified' });
          await sleep('6 hours');
        }
        const failure = await failureOf(handle);
        expect(failure).toMatchObject({ type: 'DomainVerificationTimedOut', details: { conclusive: false } });
        expect(await hoursTaken(handle)).toBeGreaterThanOrEqual(96);
        expect(await hoursTaken(handle)).toBeLessThan(97);
        expect(scripted.count('requestVerification')).toBeLessThanOrEqual(130);
        expect((await history(handle)).events).toBeLessThanOrEqual(90);
      },
    );
  });

  test('a provider that is unreachable for a day after the deadline ends as ProviderUnavailable, never F1', async () => {
    await withOnboardings(
      (clock) => ({ verified: () => false, before: outage(clock, { from: 71, except: 'revokeApiKey' }) }),
      async ({ start, scripted }) => {
        const handle = await start();
        expect(await failureOf(handle)).toMatchObject({
          type: 'ProviderUnavailable',
          details: {
            step: 'checkDomain',
            stage: 'awaitingDomain',
            lastError: 'GET /domains/dom_3: no answer, ECONNREFUSED',
            undo: [
              { step: 'registerDomain', result: 'kept' },
              { step: 'registerWebhook', result: 'failed' },
              { step: 'issueApiKey', result: 'undone' },
            ],
          },
        });
        expect(await hoursTaken(handle)).toBeGreaterThan(96);
        expect(scripted.existingOf('acme')).toEqual(['whk_2', 'dom_3']);
      },
    );
  });

  test('a provider that becomes unreachable after it answered pending does not end as F1 either', async () => {
    await withOnboardings(
      (clock) => ({
        ...{ verified: () => false, dns: () => 'inconclusive' },
        before: outage(clock, { from: 90, until: 100, as: (call) => noAnswer(call, 'ECONNRESET') }),
      }),
      async ({ start, scripted }) => {
        expect(await failureOf(await start())).toMatchObject({
          type: 'ProviderUnavailable',
          details: { step: 'checkDomain', lastError: 'GET /domains/dom_3: no answer, ECONNRESET' },
        });
        // The undo has waited the rest of the outage out.
        expect(scripted.existingOf('acme')).toEqual(['dom_3']);
      },
    );
  });
});
