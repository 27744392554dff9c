import { describe, expect, test } from 'vitest';
import { showOnboarding } from '../../../src/cli/onboarding/show-onboarding.ts';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { cancel, failureOf, validInput, withOnboardings } from '../../support/onboarding-environment.ts';
import { type Call, downForHours, failing, noAnswer, notVerified } from '../../support/scripted-provider.ts';

describe('cancelling and undoing', () => {
  test('with undo: nothing keeps everything', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, scripted }) => {
      const failure = await failureOf(await start(validInput({ undo: 'nothing', verificationWindow: '1 hour' })));
      expect(failure.details.undo.map(({ result }) => result)).toEqual(['kept', 'kept', 'kept']);
      expect([...scripted.existing]).toEqual(['key_1', 'whk_2', 'dom_3']);
    });
  });

  test('with undo: everything deletes even what existed before', async () => {
    await withOnboardings({}, async ({ start, scripted }) => {
      scripted.script.before = failing('sendEmail', notVerified);
      await failureOf(await start());
      expect([...scripted.existing]).toEqual(['dom_3', 'snd_4']);
      const { details } = await failureOf(await start(validInput({ undo: 'everything' })));
      const reason = 'the input says undo: everything';
      expect(details.undo).toEqual([
        { step: 'createSender', resourceId: 'snd_4', result: 'undone', reason },
        { step: 'registerDomain', resourceId: 'dom_3', result: 'undone', reason },
        { step: 'registerWebhook', resourceId: 'whk_6', result: 'undone', reason },
        { step: 'issueApiKey', resourceId: 'key_5', result: 'undone', reason },
      ]);
      expect([...scripted.existing]).toEqual([]);
    });
  });

  test('a sender with a display name whose every answer is lost is undone by the same request', async () => {
    const after = failing('createSender', noAnswer);
    await withOnboardings({ after }, async ({ start, sleep, scripted }) => {
      const handle = await start(validInput({ fromName: 'Acme' }));
      await sleep('1 hour');
      expect([...scripted.senders.values()]).toEqual([{ id: 'snd_4', fromAddress: 'hello@acme.test', name: 'Acme' }]);
      const answered: Call[] = [];
      scripted.script.after = (call) => void answered.push(call);
      await cancel(handle);
      const { undo, fromName } = await handle.query(onboardingStateQuery);
      expect(fromName).toBe('Acme');
      expect(undo[0]).toMatchObject({ step: 'createSender', resourceId: 'snd_4', result: 'undone' });
      // Another request with the same key would be refused.
      expect(answered).toContain('createSender');
      expect([...scripted.existing]).toEqual([]);
    });
  });

  test('a step whose every answer is lost does not delete what an earlier onboarding left there', async () => {
    await withOnboardings({ verified: () => false }, async ({ start, sleep, scripted }) => {
      await failureOf(await start());
      expect([...scripted.existing]).toEqual(['dom_3']);
      scripted.script.before = failing('createDomain', noAnswer);
      const again = await start();
      await sleep('1 hour');
      scripted.script.before = () => undefined;
      await cancel(again);
      expect((await again.query(onboardingStateQuery)).undo[0]).toEqual({
        step: 'registerDomain',
        resourceId: null,
        result: 'undone',
        reason: 'nothing had been created',
      });
      expect([...scripted.existing]).toEqual(['dom_3']);
    });
  });

  test('of a restart keeps the domain and the sender that existed before it', async () => {
    await withOnboardings({}, async ({ start, sleep, scripted }) => {
      scripted.script.before = failing('sendEmail', notVerified);
      await failureOf(await start());
      scripted.script.before = () => undefined;
      scripted.script.outcome = () => 'queued';
      const again = await start();
      await sleep('1 hour');
      await cancel(again);
      const reason = 'existed before this onboarding';
      expect((await again.query(onboardingStateQuery)).undo).toMatchObject([
        { step: 'sendFirstEmail', resourceId: 'eml_7', result: 'kept' },
        { step: 'createSender', resourceId: 'snd_4', result: 'kept', reason },
        { step: 'registerDomain', resourceId: 'dom_3', result: 'kept', reason },
        { step: 'registerWebhook', resourceId: 'whk_6', result: 'kept' },
        { step: 'issueApiKey', resourceId: 'key_5', result: 'kept' },
      ]);
      expect([...scripted.existing]).toEqual(['dom_3', 'snd_4', 'key_5', 'whk_6']);
    });
  });
});

describe("a step that is kept although the provider's response was lost", () => {
  const reason = "the provider's response was lost, so the resource may exist";

  test('because the provider was unreachable is reported, and shown by `sendoff status`', async () => {
    let lost = 0;
    const after = failing('createSender', (call) => (++lost <= 5 ? noAnswer(call) : downForHours(call)));
    await withOnboardings({ after }, async ({ start, scripted, viewOf }) => {
      const { type, details } = await failureOf(await start());
      expect({ type, undo: details.undo }).toMatchObject({
        type: 'ProviderUnavailable',
        undo: [
          { step: 'createSender', resourceId: null, result: 'kept', reason },
          { step: 'registerDomain', resourceId: 'dom_3', result: 'kept', reason: 'kept after ProviderUnavailable' },
          { step: 'registerWebhook', resourceId: 'whk_2', result: 'undone' },
          { step: 'issueApiKey', resourceId: 'key_1', result: 'undone' },
        ],
      });
      // There is one indeed: only its answers were lost.
      expect([...scripted.existing]).toEqual(['dom_3', 'snd_4']);
      const shown = await viewOf();
      expect(shown.remains).toEqual([
        { step: 'registerDomain', resourceId: 'dom_3' },
        { step: 'createSender', resourceId: null },
      ]);
      const lines = showOnboarding(shown).match(/^ +(kept|remains) +createSender.*$/gm);
      expect(lines).toEqual([expect.stringMatching(`kept +createSender +\\(${reason}\\)`)]);
    });
  });

  test('because it was cancelled with undo: nothing is reported, and no step after it', async () => {
    await withOnboardings({ before: failing('createDomain', noAnswer) }, async ({ start, sleep, viewOf }) => {
      const handle = await start(validInput({ undo: 'nothing' }));
      await sleep('1 hour');
      await cancel(handle);
      const { onboarding, remains } = await viewOf();
      expect(onboarding.undo).toEqual([
        { step: 'registerDomain', resourceId: null, result: 'kept', reason },
        { step: 'registerWebhook', resourceId: 'whk_2', result: 'kept', reason: 'the input says undo: nothing' },
        { step: 'issueApiKey', resourceId: 'key_1', result: 'kept', reason: 'the input says undo: nothing' },
      ]);
      expect(remains).toEqual([
        { step: 'issueApiKey', resourceId: 'key_1' },
        { step: 'registerWebhook', resourceId: 'whk_2' },
        { step: 'registerDomain', resourceId: null },
      ]);
    });
  });

  test('is not reported when the provider refused it', async () => {
    await withOnboardings({ before: failing('createSender', notVerified) }, async ({ start }) => {
      const { type, details } = await failureOf(await start());
      expect(type).toBe('DomainNotVerified');
      expect(details.undo.map(({ step }) => step)).toEqual(['registerDomain', 'registerWebhook', 'issueApiKey']);
    });
  });
});
