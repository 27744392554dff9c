import { describe, expect, test } from 'vitest';
import { errorAnswer } from '../../../src/email-provider/adapters/sendoff/error-answer.ts';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { providerReportedSignal } from '../../../src/workflows/messages.ts';
import {
  afterHours,
  failureOf,
  hoursSinceFirstAsked,
  hoursTaken,
  validInput,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import { answeredWith, bounce, type Call, downForHours, type Script } from '../../support/scripted-provider.ts';

describe('a provider that refuses or does not answer', () => {
  test.each(['createApiKey', 'createDomain', 'createSender', 'sendEmail'] as const)(
    'ends as ProviderRejected when %s is refused repeatedly, and leaves nothing behind',
    async (refused) => {
      const before = (call: Call): void => {
        if (call === refused) {
          throw answeredWith(call, { httpStatus: 422, code: 'validation_failed', requestId: 'req_1' });
        }
      };
      await withOnboardings({ before }, async ({ start, scripted, secretStore }) => {
        const failure = await failureOf(await start());
        expect(failure).toMatchObject({
          type: 'ProviderRejected',
          details: { exit: null, httpStatus: 422, code: 'validation_failed', requestId: 'req_1' },
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
        (clock) => {
          const elapsedHours = hoursSinceFirstAsked(clock);
          return {
            before: async (call) => {
              if (call !== unanswered) return;
              const hours = await elapsedHours();
              if (hours < 0.1) throw new ProviderUnreachable(call, 'ECONNREFUSED');
              if (hours < 3) throw downForHours(call);
            },
          };
        },
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
    ['does not answer', () => new ProviderUnreachable('POST /webhooks', 'ECONNREFUSED')],
    ['is down for hours', () => downForHours('createWebhook')],
    ['has no code of the contract', () => answeredWith('createWebhook', { httpStatus: 403 })],
  ])('goes on without a webhook if POST /webhooks %s', async (_name, error) => {
    const before = (call: Call): void => {
      if (call === 'createWebhook') throw error();
    };
    await withOnboardings({ before }, async ({ start, scripted }) => {
      const handle = await start();
      await handle.result();
      expect((await hoursTaken(handle)) * 60).toBeLessThan(60);
      expect(scripted.createdFor('acme')).toEqual(['key_1', 'dom_2', 'snd_3']);
    });
  });

  test('ends as F1 although POST /domains/{id}/verify never answers', async () => {
    const before = (call: Call): void => {
      if (call === 'requestVerification') throw new ProviderUnreachable(call, 'ECONNREFUSED');
    };
    await withOnboardings({ before, verified: () => false }, async ({ start }) => {
      const handle = await start(validInput({ verificationWindow: '30 minutes' }));
      expect(await failureOf(handle)).toMatchObject({ type: 'DomainVerificationTimedOut' });
      expect((await hoursTaken(handle)) * 60).toBeLessThan(40);
    });
  });

  test.each(['getDomain'] as const)(
    'waits three hours for %s past the deadline instead of ending as F1, and continues when verified',
    async (unanswered) => {
      await withOnboardings(
        (clock) => {
          const elapsedHours = hoursSinceFirstAsked(clock);
          return {
            verified: async () => (await elapsedHours()) > 1,
            before: async (call) => {
              const hours = await elapsedHours();
              if (call === unanswered && hours < 3) throw new ProviderUnreachable(call, 'ECONNREFUSED');
            },
          };
        },
        async ({ start, scripted }) => {
          const handle = await start(validInput({ verificationWindow: '30 minutes' }));
          await handle.result();
          expect(await hoursTaken(handle)).toBeGreaterThan(2.9);
          expect(scripted.createdFor('acme')).toEqual(['key_1', 'whk_2', 'dom_3', 'snd_4']);
        },
      );
    },
  );

  test.each([
    ['getDomain', { verified: () => false }],
    ['getEmail', { outcome: () => 'queued' as const }],
  ] as const)('notices within seconds what was announced, although %s fails three times then', async (call, before) => {
    await withOnboardings(before, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('10 hours');
      let failures = 3;
      Object.assign(scripted.script, {
        verified: () => true,
        outcome: () => ({ status: 'delivered', deliveredAt: null }),
        before: (asked: Call) => {
          if (asked === call && failures-- > 0) throw new ProviderUnreachable(asked, 'ECONNRESET');
        },
      } satisfies Partial<Script>);
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'email.delivered' });
      await handle.result();
      expect(failures).toBeLessThan(0);
      expect(((await hoursTaken(handle)) - 10) * 3_600).toBeLessThan(30);
    });
  });

  test.each(['deleteSender', 'deleteDomain', 'deleteWebhook', 'revokeApiKey'] as const)(
    'waits three hours for %s during the undo, and leaves nothing behind',
    async (unanswered) => {
      await withOnboardings(
        (clock) => {
          const outageIsOver = afterHours(3, clock);
          return {
            outcome: () => ({ status: 'bounced', bounce }),
            before: async (call) => {
              if (call === unanswered && !(await outageIsOver())) throw new ProviderUnreachable(call, 'ECONNREFUSED');
            },
          };
        },
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
      throw new ProviderUnreachable(call, 'ECONNRESET');
    };
    await withOnboardings({ after }, async ({ start, scripted }) => {
      await (await start()).result();
      expect(scripted.createdFor('acme')).toEqual(['key_1', 'whk_2', 'dom_3', 'snd_4']);
      expect(scripted.emails).toHaveLength(1);
    });
  });

  test('ends as ProviderUnavailable with the last error after an outage of more than a day', async () => {
    await withOnboardings(
      (clock) => {
        const elapsedHours = hoursSinceFirstAsked(clock);
        return {
          before: async (call) => {
            if (call !== 'createDomain') return;
            if ((await elapsedHours()) < 23) throw downForHours(call);
            throw new ProviderUnreachable('POST /domains', 'ECONNREFUSED');
          },
        };
      },
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
  ['does not answer', 0.5, (call: string) => new ProviderUnreachable(call, 'ECONNREFUSED')],
  ['asks for pauses of an hour', 20, (call: string) => errorAnswer(call, { httpStatus: 503, retryAfterMs: HOUR_MS })],
])('a provider that %s, for %d hours in each step, costs a bounded number of events', async (_, hours, failure) => {
  await withOnboardings(
    (clock) => {
      const begunAt = new Map<string, number>();
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
