import { describe, expect, test } from 'vitest';
import { providerReportedSignal } from '../../../src/workflows/messages.ts';
import {
  afterHours,
  failureOf,
  hoursTaken,
  outage,
  validInput,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import {
  answering,
  bounce,
  type Call,
  downForHours,
  failing,
  noAnswer,
  type Script,
} from '../../support/scripted-provider.ts';

describe('a provider that refuses or does not answer', () => {
  test.each(['createApiKey', 'createDomain', 'createSender', 'sendEmail'] as const)(
    'ends as ProviderRejected when %s is refused repeatedly, and leaves nothing behind',
    async (refused) => {
      const answer = { httpStatus: 422, code: 'validation_failed', requestId: 'req_1' };
      const before = failing(refused, answering(answer));
      await withOnboardings({ before }, async ({ start, scripted, secretStore }) => {
        const failure = await failureOf(await start());
        expect(failure).toMatchObject({
          type: 'ProviderRejected',
          details: { exit: null, ...answer },
        });
        expect(failure.details.undo.every(({ result }) => result === 'undone')).toBe(true);
        expect([...scripted.existing]).toEqual([]);
        expect(secretStore.values.size).toBe(0);
      });
    },
  );

  test.each(['createApiKey', 'createDomain', 'createSender', 'sendEmail', 'getEmail'] as const)(
    'waits three hours for %s',
    async (unanswered) => {
      await withOnboardings(
        (clock) => ({
          before: outage(clock, {
            ...{ of: unanswered, until: 3 },
            as: (call, hours) => (hours < 0.1 ? noAnswer(call) : downForHours(call)),
          }),
        }),
        async ({ start, scripted, history }) => {
          const handle = await start();
          await handle.result();
          expect(scripted.emails).toHaveLength(1);
          expect(await hoursTaken(handle)).toBeGreaterThan(2.9);
          expect(scripted.createdFor('acme')).toHaveLength(4);
          expect((await history(handle)).events).toBeLessThanOrEqual(60);
        },
      );
    },
  );

  test.each([
    ['does not answer', noAnswer],
    ['is down for hours', downForHours],
    ['has no code of the contract', answering({ httpStatus: 403 })],
  ])('goes on without a webhook if POST /webhooks %s', async (_name, fault) => {
    await withOnboardings({ before: failing('createWebhook', fault) }, async ({ start, scripted }) => {
      const handle = await start();
      await handle.result();
      expect((await hoursTaken(handle)) * 60).toBeLessThan(60);
      expect(scripted.createdFor('acme')).toEqual(['key_1', 'dom_2', 'snd_3']);
    });
  });

  test('ends as F1 although POST /domains/{id}/verify never answers', async () => {
    const before = failing('requestVerification', noAnswer);
    await withOnboardings({ before, verified: () => false }, async ({ start }) => {
      const handle = await start(validInput({ verificationWindow: '30 minutes' }));
      expect(await failureOf(handle)).toMatchObject({ type: 'DomainVerificationTimedOut' });
      expect((await hoursTaken(handle)) * 60).toBeLessThan(40);
    });
  });

  test('waits three hours for getDomain past the deadline instead of ending as F1, and continues when verified', async () => {
    await withOnboardings(
      (clock) => ({ verified: afterHours(1, clock), before: outage(clock, { of: 'getDomain', until: 3 }) }),
      async ({ start, scripted }) => {
        const handle = await start(validInput({ verificationWindow: '30 minutes' }));
        await handle.result();
        expect(await hoursTaken(handle)).toBeGreaterThan(2.9);
        expect(scripted.createdFor('acme')).toEqual(['key_1', 'whk_2', 'dom_3', 'snd_4']);
      },
    );
  });

  test.each([
    ['getDomain', { verified: () => false }],
    ['getEmail', { outcome: () => 'queued' as const }],
  ] as const)('notices within seconds what was announced, although %s fails three times then', async (call, before) => {
    await withOnboardings(before, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('10 hours');
      const asked = scripted.count(call);
      Object.assign(scripted.script, {
        verified: () => true,
        outcome: () => ({ status: 'delivered', deliveredAt: null }),
        before: failing(call, noAnswer, 3),
      } satisfies Partial<Script>);
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'email.delivered' });
      await handle.result();
      expect(scripted.count(call) - asked).toBeGreaterThan(3);
      expect(((await hoursTaken(handle)) - 10) * 3_600).toBeLessThan(30);
    });
  });

  test.each(['deleteSender', 'deleteDomain', 'deleteWebhook', 'revokeApiKey'] as const)(
    'waits three hours for %s during the undo, and leaves nothing behind',
    async (unanswered) => {
      await withOnboardings(
        (clock) => ({
          outcome: () => ({ status: 'bounced', bounce }),
          before: outage(clock, { of: unanswered, until: 3 }),
        }),
        async ({ start, scripted }) => {
          const handle = await start(validInput({ undo: 'everything' }));
          const { undo } = (await failureOf(handle)).details;
          expect([...scripted.existing]).toEqual([]);
          expect(undo.map(({ result }) => result)).toEqual(['kept', 'undone', 'undone', 'undone', 'undone']);
          expect(await hoursTaken(handle)).toBeGreaterThan(3);
        },
      );
    },
  );

  test('creates nothing twice when the answers are lost after the work was done', async () => {
    const lost = new Set<Call>();
    const after = (call: Call): void => {
      if (lost.has(call)) return;
      lost.add(call);
      throw noAnswer(call);
    };
    await withOnboardings({ after }, async ({ start, scripted }) => {
      await (await start()).result();
      expect(scripted.createdFor('acme')).toEqual(['key_1', 'whk_2', 'dom_3', 'snd_4']);
      expect(scripted.emails).toHaveLength(1);
    });
  });

  test('ends as ProviderUnavailable with the last error after an outage of more than a day', async () => {
    await withOnboardings(
      (clock) => ({
        before: outage(clock, {
          of: 'createDomain',
          as: (call, hours) => (hours < 23 ? downForHours(call) : noAnswer(call)),
        }),
      }),
      async ({ start }) => {
        const handle = await start();
        expect(await failureOf(handle)).toMatchObject({
          type: 'ProviderUnavailable',
          details: { step: 'registerDomain', lastError: 'POST /domains: no answer, ECONNREFUSED', exit: null },
        });
        expect(await hoursTaken(handle)).toBeGreaterThan(23.9);
      },
    );
  });
});

const HOUR_MS = 3_600_000;
/** Measured: 63 events without a pause, and 93 with, for any length of the outage. The server ends a Workflow at 51,200. */
const EVENTS_MAX = 100;

test.each([
  ['does not answer', 0.5, noAnswer],
  ['asks for pauses of an hour', 20, answering({ httpStatus: 503, retryAfterMs: HOUR_MS })],
])('a provider that %s, for %d hours in each step, costs a bounded number of events', async (_, hours, failure) => {
  await withOnboardings(
    (clock) => {
      const begunAt = new Map<Call, number>();
      return {
        before: async (call) => {
          const now = await clock();
          const since = begunAt.get(call) ?? now;
          begunAt.set(call, since);
          if (now - since < hours * HOUR_MS) throw failure(call);
        },
      };
    },
    async ({ start, history, scripted }) => {
      const handle = await start();
      await handle.result();
      expect(scripted.count('sendEmail')).toBeGreaterThan(hours);
      expect((await history(handle)).events).toBeLessThanOrEqual(EVENTS_MAX);
    },
  );
});
