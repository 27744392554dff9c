import { describe, expect, test } from 'vitest';
import { ProviderError, ProviderUnreachable } from '../../src/email-provider/provider-error.ts';
import {
  checkNowUpdate,
  extendVerificationUpdate,
  onboardingStateQuery,
  providerReportedSignal,
} from '../../src/workflows/messages.ts';
import { exitKey, reasonKey, stageKey } from '../../src/workflows/search-attributes.ts';
import {
  failureOf,
  hoursSinceFirstAsked,
  hoursTaken,
  validInput,
  withOnboardings,
} from '../support/onboarding-environment.ts';
import type { Call } from '../support/scripted-provider.ts';

const HOUR_MS = 3_600_000;

function afterHours(hours: number, clock: () => Promise<number>): () => Promise<boolean> {
  const elapsedHours = hoursSinceFirstAsked(clock);
  return async () => (await elapsedHours()) >= hours;
}

describe('an onboarding that goes well', () => {
  test('ends with a delivered first email and every id, in at most 60 events that hold no secret', async () => {
    await withOnboardings({}, async ({ start, history, scripted, secretStore }) => {
      const handle = await start();
      expect(await handle.result()).toEqual({
        keyId: 'key_1',
        tokenRef: 'onboarding/acme/api-key',
        domainId: 'dom_3',
        senderId: 'snd_4',
        emailId: 'eml_5',
        deliveredAt: '2026-01-02T03:04:05Z',
        verifiedAfterMs: expect.any(Number) as number,
        polls: 1,
      });
      const { json, events } = await history(handle);
      expect(events).toBeLessThanOrEqual(60);
      const issued = [...secretStore.values.values()].map((value) => JSON.parse(value) as { secret: string });
      expect(issued.map(({ secret }) => secret)).toEqual(scripted.secrets);
      for (const secret of scripted.secrets) expect(json).not.toContain(secret);
    });
  });

  test('answers the Query with every stage it went through', async () => {
    await withOnboardings({}, async ({ start }) => {
      const handle = await start();
      await handle.result();
      const { stage, stages } = await handle.query(onboardingStateQuery);
      expect(stage).toBe('done');
      expect(stages.map((visit) => visit.stage)).toEqual([
        'issuingKey',
        'registeringWebhook',
        'registeringDomain',
        'awaitingDomain',
        'creatingSender',
        'sendingFirstEmail',
        'awaitingDelivery',
        'done',
      ]);
    });
  });

  test('goes by polling alone when the provider refuses the webhook', async () => {
    const before = (call: Call): void => {
      if (call === 'createWebhook') throw new ProviderError(call, { httpStatus: 422, code: 'validation_failed' });
    };
    await withOnboardings({ before }, async ({ start }) => {
      const handle = await start();
      await handle.result();
      expect((await handle.query(onboardingStateQuery)).webhookId).toBeNull();
    });
  });

  test('gets another key when the answer came so late that the provider no longer shows the token', async () => {
    await withOnboardings({}, async ({ start, scripted, secretStore }) => {
      const createApiKey = scripted.provider.createApiKey.bind(scripted.provider);
      let answers = 0;
      scripted.provider.createApiKey = async (request, options) => {
        const { id, token } = await createApiKey(request, options);
        return ++answers === 1 || token === undefined ? { id } : { id, token };
      };
      const result = (await (await start()).result()) as { keyId: string };
      expect(result.keyId).toBe('key_2');
      expect(scripted.existing).not.toContain('key_1');
      const stored = secretStore.values.get('onboarding/acme/api-key') ?? '';
      expect(JSON.parse(stored)).toEqual({ id: 'key_2', secret: scripted.secrets[1] });
    });
  });
});

describe('the wait for the domain', () => {
  test('a domain verified at hour 71 is onboarded, with at most 60 looks and 60 events', async () => {
    await withOnboardings(
      (clock) => ({ verified: afterHours(71, clock) }),
      async ({ start, history, scripted }) => {
        const handle = await start();
        const result = (await handle.result()) as { verifiedAfterMs: number; polls: number };
        expect(result.verifiedAfterMs / HOUR_MS).toBeGreaterThan(71);
        expect(result.verifiedAfterMs / HOUR_MS).toBeLessThan(72.1);
        expect(scripted.count('getDomain')).toBeLessThanOrEqual(60);
        expect((await history(handle)).events).toBeLessThanOrEqual(60);
      },
    );
  });

  test('a domain never verified is F1 after 72 hours, with what is wrong, at most 60 looks and 60 events', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, history, scripted, secretStore }) => {
      const handle = await start();
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({
        type: 'DomainVerificationTimedOut',
        message:
          'acme.test was not verified within 72 hours. Publish v=DKIM1; k=rsa; p=dom_3 at k1._domainkey.acme.test.',
        details: {
          exit: 'F1',
          stage: 'awaitingDomain',
          domainId: 'dom_3',
          windowHours: 72,
          conclusive: true,
          records: [{ purpose: 'dkim', status: 'missing', findings: [{ code: 'not_published' }] }],
          undo: [
            { step: 'registerDomain', resourceId: 'dom_3', result: 'kept' },
            { step: 'registerWebhook', resourceId: 'whk_2', result: 'undone' },
            { step: 'issueApiKey', resourceId: 'key_1', result: 'undone' },
          ],
        },
      });
      expect([...scripted.existing]).toEqual(['dom_3']);
      expect(secretStore.values.size).toBe(0);
      expect(scripted.count('getDomain')).toBeLessThanOrEqual(60);
      expect((await history(handle)).events).toBeLessThanOrEqual(60);
      const polls = (failure.details as { polls: number }).polls;
      expect(Math.abs(polls - scripted.count('getDomain'))).toBeLessThanOrEqual(15);
      const { typedSearchAttributes } = await handle.describe();
      expect(typedSearchAttributes.get(reasonKey)).toBe('DomainVerificationTimedOut');
      expect(typedSearchAttributes.get(exitKey)).toBe('F1');
      expect(typedSearchAttributes.get(stageKey)).toBe('done');
    });
  });

  test('a domain that the last look after the deadline finds verified is onboarded', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, scripted }) => {
      scripted.script.before = (call) => {
        // Only the look after the deadline asks the provider to verify.
        if (call === 'requestVerification') scripted.script.verified = () => true;
      };
      const handle = await start();
      await handle.result();
      expect(scripted.count('requestVerification')).toBe(1);
    });
  });

  test('F1 is not reported while a name server does not answer', async () => {
    await withOnboardings(
      (clock) => {
        const elapsedHours = hoursSinceFirstAsked(clock);
        return {
          verified: async () => (await elapsedHours()) < 0,
          dns: async () => ((await elapsedHours()) < 80 ? 'inconclusive' : 'missing'),
        };
      },
      async ({ start }) => {
        const handle = await start();
        const failure = await failureOf(handle);
        expect(failure).toMatchObject({ type: 'DomainVerificationTimedOut', details: { conclusive: true } });
        expect(await hoursTaken(handle)).toBeGreaterThan(80);
      },
    );
  });

  test('F1 is not reported while the provider is out of reach: verified in the meantime, it goes on', async () => {
    await withOnboardings(
      (clock) => {
        const elapsedHours = hoursSinceFirstAsked(clock);
        return {
          verified: async () => (await elapsedHours()) > 74,
          before: async (call) => {
            const hours = await elapsedHours();
            if (hours > 71 && hours < 76) throw new ProviderUnreachable(call, 'ECONNREFUSED');
          },
        };
      },
      async ({ start }) => {
        const handle = await start();
        await handle.result();
        expect(await hoursTaken(handle)).toBeGreaterThan(76);
      },
    );
  });

  test('a name server that stays dumb for a day after the deadline ends as F1 that says so', async () => {
    await withOnboardings({ verified: () => false, dns: () => 'inconclusive' }, async ({ start }) => {
      const handle = await start();
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({ type: 'DomainVerificationTimedOut', details: { conclusive: false } });
      expect(await hoursTaken(handle)).toBeGreaterThanOrEqual(96);
    });
  });

  test('an extended window counts: verified at hour 80 after an Update at hour 71', async () => {
    await withOnboardings(
      (clock) => ({ verified: afterHours(80, clock) }),
      async ({ start, sleep }) => {
        const handle = await start();
        await sleep('71 hours');
        const before = await handle.query(onboardingStateQuery);
        const { verificationDeadline } = await handle.executeUpdate(extendVerificationUpdate, {
          args: [{ hours: 24, by: 'ops', reason: 'the registrar is slow' }],
        });
        expect(Date.parse(verificationDeadline) - Date.parse(before.verificationDeadline ?? '')).toBe(24 * HOUR_MS);
        const result = (await handle.result()) as { verifiedAfterMs: number };
        expect(result.verifiedAfterMs / HOUR_MS).toBeGreaterThan(80);
      },
    );
  });

  test('a poke looks at once, and the same webhook twice looks once', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted, history }) => {
      const handle = await start();
      await sleep('10 hours');
      const looks = scripted.count('getDomain');
      scripted.script.verified = () => true;
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await handle.signal(providerReportedSignal, { eventId: 'evt_1', type: 'domain.verified' });
      await handle.result();
      expect(scripted.count('getDomain')).toBe(looks + 1);
      expect((await history(handle)).events).toBeLessThanOrEqual(60);
    });
  });

  test('two hundred hints at once are merged into a few looks', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('10 hours');
      const looks = scripted.count('getDomain');
      const hints = Array.from({ length: 200 }, (_, index) =>
        handle.signal(providerReportedSignal, { eventId: `evt_${index}`, type: 'domain.verified' }),
      );
      await Promise.all(hints);
      await sleep('1 minute');
      expect(scripted.count('getDomain') - looks).toBeLessThanOrEqual(5);
      await handle.terminate();
    });
  });

  test('checkNow every six hours keeps the looks of the wait rare, and forty at once share one look', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted, history }) => {
      const handle = await start();
      for (let hours = 0; hours < 66; hours += 6) {
        await sleep('6 hours');
        await handle.executeUpdate(checkNowUpdate);
      }
      expect(scripted.count('getDomain')).toBeLessThanOrEqual(100);
      const verifications = scripted.count('requestVerification');
      await Promise.all(Array.from({ length: 9 }, () => handle.executeUpdate(checkNowUpdate)));
      expect(scripted.count('requestVerification') - verifications).toBeLessThanOrEqual(2);
      expect((await history(handle)).events).toBeLessThanOrEqual(330);
      await handle.terminate();
    });
  });

  test('the window cannot be extended once it is over', async () => {
    await withOnboardings({ verified: () => false, dns: () => 'inconclusive' }, async ({ start, sleep }) => {
      const handle = await start();
      await sleep('73 hours');
      await expect(
        handle.executeUpdate(extendVerificationUpdate, { args: [{ hours: 24, by: 'ops', reason: 'late' }] }),
      ).rejects.toMatchObject({ cause: { message: 'the window is over, and the last look is being made' } });
      await handle.terminate();
    });
  });

  test('checkNow tells what is still missing, and is refused when nothing waits for the domain', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('1 hour');
      const report = await handle.executeUpdate(checkNowUpdate);
      expect(report).toMatchObject({ verified: false, published: false, conclusive: true });
      expect(report.records[0]).toMatchObject({ purpose: 'dkim', findings: [{ code: 'not_published' }] });
      expect((await handle.query(onboardingStateQuery)).records).toEqual(report.records);

      scripted.script.verified = () => true;
      scripted.script.outcome = () => 'queued';
      await sleep('10 seconds');
      expect(await handle.executeUpdate(checkNowUpdate)).toMatchObject({ verified: true });
      await sleep('1 minute');
      await expect(handle.executeUpdate(checkNowUpdate)).rejects.toMatchObject({
        cause: { message: 'the onboarding does not wait for its domain; its stage is awaitingDelivery' },
      });
      await handle.terminate();
    });
  });
});

describe('F2: the sender is refused because the domain is not verified', () => {
  const refuseSender = (times: number): ((call: Call) => void) => {
    let refused = 0;
    return (call) => {
      if (call === 'createSender' && refused++ < times) {
        throw new ProviderError('POST /senders', { httpStatus: 422, code: 'domain_not_verified' });
      }
    };
  };

  test('once: goes back to the wait and is onboarded', async () => {
    await withOnboardings({ before: refuseSender(1) }, async ({ start, scripted }) => {
      const handle = await start();
      await handle.result();
      expect(scripted.count('createSender')).toBe(2);
      const { stages, timesNotVerified } = await handle.query(onboardingStateQuery);
      expect(timesNotVerified).toBe(1);
      expect(stages.filter((visit) => visit.stage === 'awaitingDomain')).toHaveLength(2);
    });
  });

  test('for ever: each refusal needs a fresh "verified", the pauses grow, and it ends as F2', async () => {
    await withOnboardings({ before: refuseSender(Infinity) }, async ({ start, scripted }) => {
      const handle = await start();
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({
        type: 'DomainNotVerified',
        details: { exit: 'F2', stage: 'creatingSender', domainId: 'dom_3', times: 6, lastStatus: 'verified' },
      });
      expect(scripted.count('createSender')).toBe(6);
      expect(scripted.count('getDomain')).toBe(6);
      expect([...scripted.existing]).toEqual(['dom_3']);
      const { startTime, closeTime } = await handle.describe();
      expect((closeTime?.getTime() ?? 0) - startTime.getTime()).toBeGreaterThanOrEqual(21 * 60_000);
    });
  });

  test('for ever, with a window of seconds: the pause ends with the window, and so does the onboarding', async () => {
    await withOnboardings({ before: refuseSender(Infinity) }, async ({ start }) => {
      const handle = await start(validInput({ verificationWindow: '20 seconds' }));
      // Two refusals are tried again at once, the third pauses until the deadline, and the fourth has no time left.
      expect(await failureOf(handle)).toMatchObject({
        type: 'DomainNotVerified',
        details: { exit: 'F2', times: 4, lastStatus: 'verified' },
      });
      expect((await hoursTaken(handle)) * 3_600).toBeLessThan(40);
    });
  });

  test('a domain that is no longer verified when the window ends during the pause is F1', async () => {
    await withOnboardings({ before: refuseSender(Infinity) }, async ({ start, scripted }) => {
      scripted.script.verified = () => scripted.count('createSender') < 3;
      const handle = await start(validInput({ verificationWindow: '20 seconds' }));
      expect(await failureOf(handle)).toMatchObject({
        type: 'DomainVerificationTimedOut',
        details: { exit: 'F1', stage: 'awaitingDomain' },
      });
      expect(scripted.count('createSender')).toBe(3);
    });
  });
});

describe('F3: the email bounces', () => {
  const bounced = {
    status: 'bounced' as const,
    bounce: {
      category: 'recipient',
      reason: 'The address does not exist',
      smtpCode: 550,
      enhancedCode: '5.1.1',
      diagnostic: '550 5.1.1 no such user',
      remoteMta: 'mx.inbox.test',
    },
  };

  test('ends with the reason, keeps what works, and a restart does not send again', async () => {
    await withOnboardings({ outcome: () => bounced }, async ({ start, scripted }) => {
      const first = await failureOf(await start());
      expect(first).toMatchObject({
        type: 'EmailBounced',
        message: 'The email to ada@inbox.test bounced: The address does not exist',
        details: { exit: 'F3', emailId: 'eml_5', recipient: 'ada@inbox.test', ...bounced.bounce },
      });
      expect(first.details.undo.map(({ result }) => result)).toEqual(['kept', 'kept', 'kept', 'kept']);
      const again = await failureOf(await start());
      expect(again.type).toBe('EmailBounced');
      expect(scripted.emails).toHaveLength(1);
    });
  });

  test('a delivery during an outage at the end of its window is found by the last look', async () => {
    await withOnboardings(
      (clock) => {
        const elapsedHours = hoursSinceFirstAsked(clock);
        return {
          outcome: () => 'queued',
          before: async (call) => {
            const hours = await elapsedHours();
            if (call === 'getEmail' && hours > 70 && hours < 75) throw new ProviderUnreachable(call, 'ECONNREFUSED');
          },
        };
      },
      async ({ start, sleep, scripted }) => {
        const handle = await start();
        await sleep('71 hours');
        scripted.script.outcome = () => ({ status: 'delivered', deliveredAt: null });
        await handle.result();
        expect(await hoursTaken(handle)).toBeGreaterThan(72);
      },
    );
  });

  test('neither delivered nor bounced within 72 hours is DeliveryUnconfirmed', async () => {
    await withOnboardings({ outcome: () => 'queued' }, async ({ start, history }) => {
      const handle = await start();
      expect(await failureOf(handle)).toMatchObject({
        type: 'DeliveryUnconfirmed',
        details: { exit: null, stage: 'awaitingDelivery', emailId: 'eml_5', lastStatus: 'queued' },
      });
      expect((await history(handle)).events).toBeLessThanOrEqual(60);
    });
  });
});

describe('a provider that refuses or does not answer', () => {
  test.each(['createApiKey', 'createDomain', 'createSender', 'sendEmail'] as const)(
    'a 403 at %s ends as ProviderRejected, and nothing is left behind',
    async (refused) => {
      const before = (call: Call): void => {
        if (call === refused) {
          throw new ProviderError(call, { httpStatus: 403, code: 'insufficient_scope', requestId: 'req_1' });
        }
      };
      await withOnboardings({ before }, async ({ start, scripted, secretStore }) => {
        const failure = await failureOf(await start());
        expect(failure).toMatchObject({
          type: 'ProviderRejected',
          details: { exit: null, httpStatus: 403, code: 'insufficient_scope', requestId: 'req_1' },
        });
        expect(failure.details.undo.every(({ result }) => result === 'undone')).toBe(true);
        expect([...scripted.existing]).toEqual([]);
        expect(secretStore.values.size).toBe(0);
      });
    },
  );

  test.each(['createApiKey', 'createWebhook', 'createDomain', 'createSender', 'sendEmail', 'getEmail'] as const)(
    'three hours without an answer at %s are waited out',
    async (unanswered) => {
      await withOnboardings(
        (clock) => {
          const outageIsOver = afterHours(3, clock);
          return {
            before: async (call) => {
              if (call === unanswered && !(await outageIsOver())) throw new ProviderUnreachable(call, 'ECONNREFUSED');
            },
          };
        },
        async ({ start, scripted, history }) => {
          const handle = await start();
          await handle.result();
          expect(scripted.emails).toHaveLength(1);
          expect(scripted.createdFor('acme')).toHaveLength(4);
          expect((await history(handle)).events).toBeLessThanOrEqual(60);
        },
      );
    },
  );

  test.each(['getDomain', 'requestVerification'] as const)(
    'three hours without an answer at %s around the deadline are no F1: verified meanwhile, it goes on',
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

  test.each(['deleteSender', 'deleteDomain', 'deleteWebhook', 'revokeApiKey'] as const)(
    'three hours without an answer at %s during the undo are waited out, and nothing is left behind',
    async (unanswered) => {
      await withOnboardings(
        (clock) => {
          const outageIsOver = afterHours(3, clock);
          return {
            outcome: () => 'queued',
            before: async (call) => {
              if (call === unanswered && !(await outageIsOver())) throw new ProviderUnreachable(call, 'ECONNREFUSED');
            },
          };
        },
        async ({ start, sleep, scripted }) => {
          const handle = await start();
          await sleep('1 minute');
          await handle.cancel();
          await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
          expect([...scripted.existing]).toEqual([]);
          const { undo } = await handle.query(onboardingStateQuery);
          expect(undo.map(({ result }) => result)).toEqual(['undone', 'undone', 'undone', 'undone']);
          expect(await hoursTaken(handle)).toBeGreaterThan(3);
        },
      );
    },
  );

  test('answers that are lost after the work was done create nothing twice', async () => {
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

  test('an outage of more than a day ends as ProviderUnavailable with the last error', async () => {
    const before = (call: Call): void => {
      if (call === 'createDomain') throw new ProviderUnreachable('POST /domains', 'ECONNREFUSED');
    };
    await withOnboardings({ before }, async ({ start }) => {
      expect(await failureOf(await start())).toMatchObject({
        type: 'ProviderUnavailable',
        details: { step: 'registerDomain', lastError: 'POST /domains: no answer, ECONNREFUSED', exit: null },
      });
    });
  });
});

describe('a restart', () => {
  test('after a cancel adopts the email that was accepted before, and sends no second one', async () => {
    await withOnboardings({ outcome: () => 'queued' }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('1 minute');
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow();
      scripted.script.outcome = () => ({ status: 'delivered', deliveredAt: null });
      const result = (await (await start()).result()) as { emailId: string };
      expect(scripted.emails).toEqual([{ id: result.emailId, recipient: 'ada@inbox.test' }]);
    });
  });

  test('after F3 replaces key and webhook of before, and a refusal then does not delete the adopted domain', async () => {
    const bounce = {
      category: 'recipient',
      reason: 'x',
      smtpCode: 550,
      enhancedCode: null,
      diagnostic: null,
      remoteMta: null,
    };
    await withOnboardings({ outcome: () => ({ status: 'bounced', bounce }) }, async ({ start, scripted }) => {
      await failureOf(await start());
      const kept = [...scripted.existing];
      scripted.script.before = (call) => {
        if (call === 'sendEmail') throw new ProviderError(call, { httpStatus: 422, code: 'validation_failed' });
      };
      const recipient = 'eve@inbox.test';
      const failure = await failureOf(
        await start(validInput({ firstEmail: { ...validInput().firstEmail, recipient } })),
      );
      expect(failure.details.undo).toMatchObject([
        { step: 'createSender', resourceId: 'snd_4', result: 'kept', reason: 'was there before this onboarding' },
        { step: 'registerDomain', resourceId: 'dom_3', result: 'kept', reason: 'was there before this onboarding' },
        { step: 'registerWebhook', result: 'undone' },
        { step: 'issueApiKey', result: 'undone' },
      ]);
      expect(kept).toEqual(expect.arrayContaining(['key_1', 'whk_2', 'dom_3']));
      expect([...scripted.existing].filter((id) => /^(key|whk)_/.test(id))).toEqual([]);
      expect(scripted.existing).toContain('dom_3');
    });
  });
});

describe('cancelling and undoing', () => {
  test('a cancelled onboarding undoes everything, and a second cancel does not stop that', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted, secretStore }) => {
      const handle = await start();
      await sleep('1 hour');
      await handle.cancel();
      await handle.cancel();
      await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
      expect([...scripted.existing]).toEqual([]);
      expect(secretStore.values.size).toBe(0);
      const { undo } = await handle.query(onboardingStateQuery);
      expect(undo.map(({ step, result }) => `${step} ${result}`)).toEqual([
        'registerDomain undone',
        'registerWebhook undone',
        'issueApiKey undone',
      ]);
    });
  });

  test('undo: nothing leaves everything where it is', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, scripted }) => {
      const failure = await failureOf(await start(validInput({ undo: 'nothing', verificationWindow: '1 hour' })));
      expect(failure.details.undo.map(({ result }) => result)).toEqual(['kept', 'kept', 'kept']);
      expect([...scripted.existing]).toEqual(['key_1', 'whk_2', 'dom_3']);
    });
  });

  test('undo: everything deletes even what was there before', async () => {
    await withOnboardings({}, async ({ start, scripted }) => {
      scripted.script.before = (call) => {
        if (call === 'sendEmail')
          throw new ProviderError('POST /emails', { httpStatus: 422, code: 'domain_not_verified' });
      };
      await failureOf(await start());
      expect([...scripted.existing]).toEqual(['dom_3', 'snd_4']);
      const { details } = await failureOf(await start(validInput({ undo: 'everything' })));
      const reason = 'undo: everything was asked for';
      expect(details.undo).toEqual([
        { step: 'createSender', resourceId: 'snd_4', result: 'undone', reason },
        { step: 'registerDomain', resourceId: 'dom_3', result: 'undone', reason },
        { step: 'registerWebhook', resourceId: 'whk_6', result: 'undone', reason },
        { step: 'issueApiKey', resourceId: 'key_5', result: 'undone', reason },
      ]);
      expect([...scripted.existing]).toEqual([]);
    });
  });

  test('a step whose every answer is lost is undone by what its repetition finds', async () => {
    let lost = 0;
    const after = (call: Call): void => {
      if (call === 'createDomain' && ++lost <= 1_000) throw new ProviderUnreachable('POST /domains', 'ECONNRESET');
    };
    await withOnboardings({ after }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('1 hour');
      expect(scripted.createdFor('acme')).toEqual(['key_1', 'whk_2', 'dom_3']);
      scripted.script.after = () => undefined;
      await handle.cancel();
      await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
      const { undo, domainId } = await handle.query(onboardingStateQuery);
      expect(domainId).toBeNull();
      expect(undo[0]).toEqual({
        step: 'registerDomain',
        resourceId: 'dom_3',
        result: 'undone',
        reason: 'undone at Cancelled',
      });
      expect([...scripted.existing]).toEqual([]);
    });
  });

  test('an undo that fails for hours is reported, and the next still runs', async () => {
    const before = (call: Call): void => {
      if (call === 'deleteWebhook') throw new ProviderUnreachable('DELETE /webhooks/whk_2', 'ECONNRESET');
    };
    await withOnboardings({ verified: () => false, before }, async ({ start, scripted }) => {
      const { details } = await failureOf(await start());
      expect(details.undo).toMatchObject([
        { step: 'registerDomain', result: 'kept' },
        { step: 'registerWebhook', result: 'failed', reason: 'DELETE /webhooks/whk_2: no answer, ECONNRESET' },
        { step: 'issueApiKey', result: 'undone' },
      ]);
      expect([...scripted.existing]).toEqual(['whk_2', 'dom_3']);
    });
  });
});
