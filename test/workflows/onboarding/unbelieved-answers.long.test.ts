// One answer never ends an onboarding: what is no answer of the contract is an outage, and what is one must be repeated.
import { describe, expect, test } from 'vitest';
import type { UndoneStep } from '../../../src/onboarding/failures.ts';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import {
  failureOf,
  hoursTaken,
  outage,
  realServer,
  validInput,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import {
  answeredWith,
  answering,
  bounce,
  type Call,
  downForHours,
  failing,
  noAnswer,
  type Script,
  type ScriptedProvider,
} from '../../support/scripted-provider.ts';

const CALLS = ['createApiKey', 'createWebhook', 'createDomain', 'getDomain', 'createSender', 'sendEmail', 'getEmail'];
const everyUndoIs = (result: string, undo: { result: string }[]): void => {
  expect(undo.map((each) => each.result)).toEqual(undo.map(() => result));
  expect(undo.length).toBeGreaterThan(0);
};
const gone = { httpStatus: 404, code: 'not_found' };

test.each([
  ['a redirect', { httpStatus: 302 }],
  ['a page that blocks', { httpStatus: 403 }],
  ['a page that is not found', { httpStatus: 404 }],
  ['a known code with another status', { httpStatus: 403, code: 'not_found' }],
  ['an unknown code', { httpStatus: 422, code: 'blocked_by_policy' }],
  ['a credential not known yet', { httpStatus: 401, code: 'invalid_api_key' }],
  ['not found', gone],
  ['a refusal', { httpStatus: 422, code: 'validation_failed' }],
])('%s, three times at every call, ends nothing', async (_name, answer) => {
  const times = new Map<Call, number>();
  const before = (call: Call): void => {
    const earlier = times.get(call) ?? 0;
    times.set(call, earlier + 1);
    if (earlier < 3) throw answeredWith(call, answer);
  };
  await withOnboardings({ before }, async ({ start, scripted }) => {
    const handle = await start();
    await handle.result();
    expect((await handle.query(onboardingStateQuery)).undo).toEqual([]);
    expect(scripted.emails).toHaveLength(1);
    // The webhook, too, which an onboarding can do without.
    expect(scripted.createdFor('acme')).toHaveLength(4);
    expect([...times.keys()]).toEqual(expect.arrayContaining(CALLS));
  });
});

test.each([
  ['createSender', { httpStatus: 422, code: 'validation_failed' }],
  ['sendEmail', { httpStatus: 422, code: 'validation_failed' }],
  ['sendEmail', { httpStatus: 422, code: 'domain_not_verified' }],
] as const)('a refusal at %s (%j) of four minutes ends nothing', async (refused, answer) => {
  await withOnboardings(
    (clock) => ({ before: outage(clock, { of: refused, until: 4 / 60, as: answering(answer) }) }),
    async ({ start, scripted }) => {
      await (await start()).result();
      expect(scripted.emails).toHaveLength(1);
    },
  );
});

test('a key that is refused for two hours is visible and waited out', async () => {
  await withOnboardings(
    (clock) => ({
      before: outage(clock, {
        ...{ except: 'createApiKey', until: 2 },
        as: answering({ httpStatus: 401, code: 'invalid_api_key' }),
      }),
    }),
    async ({ start, scripted, history }) => {
      const handle = await start();
      await handle.result();
      // Without the webhook, which an onboarding does not wait for.
      expect(scripted.createdFor('acme')).toHaveLength(3);
      expect((await history(handle)).events).toBeLessThanOrEqual(70);
    },
  );
});

describe('a resource that stays gone', () => {
  test('an email: DeliveryUnconfirmed after minutes, and every resource stays', async () => {
    await withOnboardings({ before: failing('getEmail', answering(gone)) }, async ({ start, scripted }) => {
      const handle = await start();
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({
        type: 'DeliveryUnconfirmed',
        details: { emailId: 'eml_5', lastStatus: 'gone', stage: 'awaitingDelivery' },
      });
      everyUndoIs('kept', failure.details.undo);
      expect([...scripted.existing]).toHaveLength(4);
      const minutes = (await hoursTaken(handle)) * 60;
      expect(minutes).toBeGreaterThanOrEqual(5);
      expect(minutes).toBeLessThan(10);
    });
  });

  test('a domain: ProviderRejected after minutes', async () => {
    await withOnboardings({ before: failing('getDomain', answering(gone)) }, async ({ start }) => {
      const handle = await start();
      expect(await failureOf(handle)).toMatchObject({
        type: 'ProviderRejected',
        details: { step: 'checkDomain', ...gone, stage: 'awaitingDomain' },
      });
      expect((await hoursTaken(handle)) * 60).toBeGreaterThanOrEqual(5);
    });
  });

  test('an email that a replica knows and another does not is never treated as deleted', async () => {
    let answers = 0;
    const before = (call: Call): void => {
      if (call === 'getEmail' && ++answers % 5 !== 0) throw answeredWith(call, gone);
    };
    await withOnboardings({ before, outcome: () => 'queued' }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('2 hours');
      scripted.script.outcome = () => ({ status: 'delivered', deliveredAt: null });
      await handle.result();
    });
  });

  test('outages in between neither count nor reset the count', async () => {
    let answers = 0;
    const before = (call: Call): void => {
      if (call !== 'getEmail') return;
      throw ++answers % 2 === 0 ? noAnswer(call) : answeredWith(call, gone);
    };
    await withOnboardings({ before }, async ({ start }) => {
      expect(await failureOf(await start())).toMatchObject({ type: 'DeliveryUnconfirmed' });
    });
  });
});

describe('a deletion that is answered by 404', () => {
  const DELETIONS = ['deleteSender', 'deleteDomain', 'deleteWebhook', 'revokeApiKey'] as const;
  const isDeletion = (call: Call): boolean => DELETIONS.some((deletion) => deletion === call);
  const undoneAfter = async (
    script: Partial<Script>,
    judge: (undone: { scripted: ScriptedProvider; undo: UndoneStep[]; minutes: number }) => void,
  ): Promise<void> => {
    const outcome = () => ({ status: 'bounced', bounce }) as const;
    await withOnboardings({ ...script, outcome }, async ({ start, scripted }) => {
      const handle = await start(validInput({ undo: 'everything' }));
      const { undo } = (await failureOf(handle)).details;
      const ofResources = undo.filter(({ step }) => step !== 'sendFirstEmail');
      judge({ scripted, undo: ofResources, minutes: (await hoursTaken(handle)) * 60 });
    });
  };

  test('three times each, by a lagging replica, is repeated until it succeeds', async () => {
    const times = new Map<Call, number>();
    const before = (call: Call): void => {
      times.set(call, (times.get(call) ?? 0) + 1);
      if (isDeletion(call) && (times.get(call) ?? 0) <= 3) throw answeredWith(call, gone);
    };
    await undoneAfter({ before }, ({ scripted, undo }) => {
      everyUndoIs('undone', undo);
      expect(DELETIONS.map((call) => times.get(call))).toEqual([4, 4, 4, 4]);
      expect([...scripted.existing]).toEqual([]);
    });
  });

  test('for five minutes counts as deleted', async () => {
    const before = failing('revokeApiKey', answering(gone));
    await undoneAfter({ before }, ({ undo, minutes }) => {
      everyUndoIs('undone', undo);
      expect(minutes).toBeGreaterThanOrEqual(5);
      expect(minutes).toBeLessThan(10);
    });
  });

  test.each([404, 405, 501])(
    'and by %i without a code is done after minutes, and each resource is listed as kept',
    async (httpStatus) => {
      const before = (call: Call): void => {
        if (isDeletion(call)) throw answeredWith(call, { httpStatus });
      };
      await undoneAfter({ before }, ({ scripted, undo, minutes }) => {
        everyUndoIs('kept', undo);
        expect(undo.map(({ resourceId }) => resourceId)).toEqual([...scripted.existing].toReversed());
        // One confirmation for all of them.
        expect(minutes).toBeGreaterThanOrEqual(5);
        expect(minutes).toBeLessThan(10);
      });
    },
  );

  test('after its first response was lost counts as deleted at once', async () => {
    const lost = new Set<Call>();
    const after = (call: Call): void => {
      if (!isDeletion(call) || lost.has(call)) return;
      lost.add(call);
      throw noAnswer(call);
    };
    await undoneAfter({ after }, ({ scripted, undo, minutes }) => {
      everyUndoIs('undone', undo);
      expect(DELETIONS.map((call) => scripted.count(call))).toEqual([2, 2, 2, 2]);
      expect(minutes).toBeLessThan(2);
    });
  });

  test('once, for the API key that an earlier onboarding kept, leaves no second key valid', async () => {
    const before = failing('revokeApiKey', answering(gone), 1);
    await withOnboardings({ verified: () => false, before }, async ({ start, scripted }) => {
      await failureOf(await start(validInput({ undo: 'nothing', verificationWindow: '1 hour' })));
      await failureOf(await start(validInput({ undo: 'nothing', verificationWindow: '1 hour' })));
      expect([...scripted.existing].filter((id) => id.startsWith('key_'))).toHaveLength(1);
    });
  });
});

test('keeps everything when the provider is unreachable for good after it accepted the email', async () => {
  await withOnboardings(
    (clock) => ({
      outcome: () => 'queued',
      before: outage(clock, { from: 70, as: (call, hours) => (hours > 70.2 ? downForHours(call) : noAnswer(call)) }),
    }),
    async ({ start, scripted }) => {
      const failure = await failureOf(await start());
      expect(failure).toMatchObject({ type: 'ProviderUnavailable', details: { stage: 'awaitingDelivery' } });
      everyUndoIs('kept', failure.details.undo);
      expect([...scripted.existing]).toHaveLength(4);
    },
  );
});

test('a real server keeps the count of repeated answers from attempt to attempt, without an event', async () => {
  await withOnboardings(
    { before: failing('getEmail', answering(gone)) },
    async ({ start, history, scripted }) => {
      const handle = await start();
      const counted = async (): Promise<number> => {
        const [pending] = (await handle.describe()).raw.pendingActivities ?? [];
        const details = pending?.heartbeatDetails?.payloads?.[0]?.data;
        return details ? (JSON.parse(Buffer.from(details).toString()) as { times: number }).times : 0;
      };
      await expect.poll(counted, { timeout: 30_000, interval: 200 }).toBeGreaterThanOrEqual(3);
      expect((await history(handle)).events).toBeLessThanOrEqual(35);
      scripted.script.before = () => undefined;
      await handle.result();
    },
    { startServer: realServer, maxCachedWorkflows: 100 },
  );
});
