import { describe, expect, test } from 'vitest';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { cancel, failureOf, validInput, whileWaiting, withOnboardings } from '../../support/onboarding-environment.ts';
import { answering, failing, noAnswer } from '../../support/scripted-provider.ts';

describe('cancelling and undoing', () => {
  test('undoes everything, and a second cancel does not interrupt it', async () => {
    await whileWaiting({ waited: '1 hour' }, async ({ handle, scripted, secretStore }) => {
      await handle.cancel();
      await cancel(handle);
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

  test('a step whose every answer is lost is undone by what its repetition finds', async () => {
    await withOnboardings({ after: failing('createDomain', noAnswer) }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('1 hour');
      expect(scripted.createdFor('acme')).toEqual(['key_1', 'whk_2', 'dom_3']);
      scripted.script.after = () => undefined;
      await cancel(handle);
      const { undo, domainId } = await handle.query(onboardingStateQuery);
      expect(domainId).toBeNull();
      expect(undo[0]).toEqual({
        step: 'registerDomain',
        resourceId: 'dom_3',
        result: 'undone',
        reason: 'undone after Cancelled',
      });
      expect([...scripted.existing]).toEqual([]);
    });
  });

  test('reports an undo that fails for hours, and still runs the next', async () => {
    const before = failing('deleteWebhook', noAnswer);
    await withOnboardings({ verified: () => false, before }, async ({ start, scripted }) => {
      const { details } = await failureOf(await start());
      expect(details.undo).toMatchObject([
        { step: 'registerDomain', result: 'kept' },
        { step: 'registerWebhook', result: 'failed', reason: 'DELETE /webhooks/whk_2: no answer, ECONNREFUSED' },
        { step: 'issueApiKey', result: 'undone' },
      ]);
      expect([...scripted.existing]).toEqual(['whk_2', 'dom_3']);
    });
  });
});

describe('a wait that ends because the resource is gone', () => {
  test.each([
    ['getDomain', 'ProviderRejected', undefined],
    ['getEmail', 'DeliveryUnconfirmed', 'everything'],
  ] as const)('%s: its Timer is cancelled before the undo', async (refused, type, undo) => {
    const before = failing(refused, answering({ httpStatus: 404, code: 'not_found' }));
    await withOnboardings({ before }, async ({ start }) => {
      const handle = await start(validInput(undo && { undo }));
      expect(await failureOf(handle)).toMatchObject({ type, details: { undo: expect.any(Array) } });
      const events = (await handle.fetchHistory()).events ?? [];
      const idsOf = (ids: (string | null | undefined)[]) => ids.filter((id) => typeof id === 'string');
      const begun = idsOf(events.map((event) => event.timerStartedEventAttributes?.timerId));
      const undoAt = events.findIndex((event) =>
        /^(delete|revoke)/.test(event.activityTaskScheduledEventAttributes?.activityType?.name ?? ''),
      );
      const ended = idsOf(events.slice(0, undoAt).map((event) => event.timerCanceledEventAttributes?.timerId));
      expect(begun.length).toBeGreaterThan(0);
      expect(ended).toEqual(begun);
    });
  });
});
