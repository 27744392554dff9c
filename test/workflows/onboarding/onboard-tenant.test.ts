import { describe, expect, test } from 'vitest';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { failureOf, hoursTaken, validInput, withOnboardings } from '../../support/onboarding-environment.ts';
import { answering, bounce, failing } from '../../support/scripted-provider.ts';

describe('a successful onboarding', () => {
  test('ends with a delivered first email and every id, in 13 events that hold no secret', async () => {
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
      expect(events).toBe(13);
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

  test('relies on polling when the provider refuses the webhook', async () => {
    const before = failing('createWebhook', answering({ httpStatus: 422, code: 'validation_failed' }));
    await withOnboardings({ before }, async ({ start }) => {
      const handle = await start();
      await handle.result();
      expect((await handle.query(onboardingStateQuery)).webhookId).toBeNull();
    });
  });

  test.each([
    ['deletes a webhook without a signing secret once, creates no other, and goes on', false],
    ['lists a webhook without a signing secret that cannot be deleted, creates no other, and goes on', true],
  ])('%s', async (_name, isKept) => {
    const before = failing('deleteWebhook', answering({ httpStatus: 404 }));
    await withOnboardings(isKept ? { before } : {}, async ({ start, scripted }) => {
      const withKey = scripted.provider.withKey.bind(scripted.provider);
      scripted.provider.withKey = (token) => {
        const account = withKey(token);
        return {
          ...account,
          createWebhook: async (...args) => ({ id: (await account.createWebhook(...args)).id ?? '' }),
        };
      };
      const handle = await start();
      await handle.result();
      expect([scripted.count('createWebhook'), scripted.count('deleteWebhook')]).toEqual([1, 1]);
      expect((await handle.query(onboardingStateQuery)).webhookId).toBe(isKept ? 'whk_2' : null);
      expect(await hoursTaken(handle)).toBeLessThan(0.1);
    });
  });

  test('creates another key when the answer arrives after the provider stopped showing the token', async () => {
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

  test('after F3 replaces key and webhook, and a later refusal does not delete the adopted domain', async () => {
    await withOnboardings({ outcome: () => ({ status: 'bounced', bounce }) }, async ({ start, scripted }) => {
      await failureOf(await start());
      const kept = [...scripted.existing];
      scripted.script.before = failing('sendEmail', answering({ httpStatus: 422, code: 'validation_failed' }));
      const recipient = 'eve@inbox.test';
      const failure = await failureOf(
        await start(validInput({ firstEmail: { ...validInput().firstEmail, recipient } })),
      );
      expect(failure.details.undo).toMatchObject([
        { step: 'createSender', resourceId: 'snd_4', result: 'kept', reason: 'existed before this onboarding' },
        { step: 'registerDomain', resourceId: 'dom_3', result: 'kept', reason: 'existed before this onboarding' },
        { step: 'registerWebhook', result: 'undone' },
        { step: 'issueApiKey', result: 'undone' },
      ]);
      expect(kept).toEqual(expect.arrayContaining(['key_1', 'whk_2', 'dom_3']));
      expect([...scripted.existing].filter((id) => /^(key|whk)_/.test(id))).toEqual([]);
      expect(scripted.existing).toContain('dom_3');
    });
  });
});
