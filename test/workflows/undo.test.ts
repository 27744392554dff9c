import { describe, expect, test } from 'vitest';
import { ProviderError, ProviderUnreachable } from '../../src/email-provider/provider-error.ts';
import { onboardingStateQuery } from '../../src/workflows/messages.ts';
import { failureOf, validInput, withOnboardings } from '../support/onboarding-environment.ts';
import type { Call } from '../support/scripted-provider.ts';

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
