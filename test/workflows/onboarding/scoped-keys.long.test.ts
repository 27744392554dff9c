import { describe, expect, test } from 'vitest';
import { apiKeyRef, ownKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { getIssued } from '../../../src/store/issued-secret.ts';
import { whatRemains } from '../../../src/onboarding/what-remains.ts';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import {
  cancel,
  expectCancelled,
  failureOf,
  validInput,
  whileWaiting,
  withOnboardings,
} from '../../support/onboarding-environment.ts';
import { answeredWith, bounce, type Call, failing, noAnswer } from '../../support/scripted-provider.ts';

/** Loses the answers of these calls, counted from 1. */
const losing = (lost: Call, ...times: number[]) => {
  let calls = 0;
  return (call: Call): void => {
    if (call === lost && times.includes(++calls)) throw noAnswer(call);
  };
};
const scoped = { knowsScopes: () => true };

describe('at a provider that knows scopes', () => {
  test('an onboarding of 13 events gives the backend a key that sends and reads, and keeps one for the rest', () =>
    withOnboardings(scoped, async ({ start, history, secretStore, scripted }) => {
      const handle = await start();
      const { keyId } = (await handle.result()) as { keyId: string };
      expect((await history(handle)).events).toBe(13);
      expect(await getIssued(secretStore, apiKeyRef('acme'))).toMatchObject({ id: keyId, scopes: ['send', 'read'] });
      const own = await getIssued(secretStore, ownKeyRef('acme'));
      expect(scripted.existingOf('acme').filter((id) => id.startsWith('key'))).toEqual([own?.id, keyId]);
      const { json } = await history(handle);
      for (const secret of scripted.secrets) expect(json).not.toContain(secret);
    }));

  test.each([
    ['as answered', {}],
    ['after the answer to the first key was lost', { after: losing('createApiKey', 1) }],
    ['after the answer to the second key was lost', { after: losing('createApiKey', 2) }],
    ['after the answers to both revocations were lost', { after: losing('revokeApiKey', 1, 2) }],
    ['after the provider was down between the revocations', { before: losing('revokeApiKey', 2, 3, 4) }],
  ])('an undo revokes both keys %s', (_title, faults) =>
    whileWaiting({ waited: '1 hour', ...scoped, ...faults }, async ({ handle, secretStore, scripted }) => {
      const { keyId } = await handle.query(onboardingStateQuery);
      await cancel(handle);
      expect(scripted.existingOf('acme')).toEqual([]);
      expect(scripted.createdFor('acme').filter((id) => id.startsWith('key'))).toHaveLength(2);
      expect(secretStore.values.size).toBe(0);
      const { undo } = await handle.query(onboardingStateQuery);
      const own = scripted.createdFor('acme').find((id) => id.startsWith('key') && id !== keyId);
      expect(undo.slice(-2)).toMatchObject([
        { step: 'issueApiKey', resourceId: keyId, result: 'undone' },
        { step: 'issueApiKey', resourceId: own, result: 'undone' },
      ]);
    }),
  );

  test('an undo whose last answer was lost reports both keys', () =>
    whileWaiting({ waited: '1 hour', ...scoped }, async ({ handle, secretStore }) => {
      const { deleteIf } = secretStore;
      let losses = 0;
      secretStore.deleteIf = async (ref, matches) => {
        await deleteIf(ref, matches);
        if (secretStore.values.size === 0 && losses++ === 0)
          throw new Error('the connection was lost after the commit');
      };
      await cancel(handle);
      const { undo, keyId, ownKeyId } = await handle.query(onboardingStateQuery);
      expect(losses).toBeGreaterThan(1);
      expect(undo.slice(-2)).toMatchObject([
        { step: 'issueApiKey', resourceId: keyId, result: 'undone' },
        { step: 'issueApiKey', resourceId: ownKeyId, result: 'undone' },
      ]);
    }));

  test('an undo revokes both keys although no answer about them ever arrived', async () => {
    const after = failing('createApiKey', noAnswer);
    await withOnboardings({ ...scoped, after }, async ({ start, sleep, scripted }) => {
      const handle = await start();
      await sleep('10 minutes');
      await handle.cancel();
      scripted.script.after = () => undefined;
      scripted.script.before = losing('revokeApiKey', 2);
      await expectCancelled(handle);
      expect(scripted.existingOf('acme')).toEqual([]);
      // The first again, which is known to be gone, and the second.
      expect(scripted.count('revokeApiKey')).toBe(4);
    });
  });

  test("an undo believes that the own key is gone, although the tenant's is deleted at each of its attempts", () =>
    whileWaiting({ waited: '1 hour', ...scoped }, async ({ handle, scripted }) => {
      const { keyId, ownKeyId } = await handle.query(onboardingStateQuery);
      // As after a Worker was killed between this deletion and its answer.
      let revocations = 0;
      scripted.script.before = (call) => {
        if (call === 'revokeApiKey' && ++revocations % 2 === 0)
          throw answeredWith(call, { httpStatus: 404, code: 'not_found' });
      };
      await cancel(handle);
      const { undo } = await handle.query(onboardingStateQuery);
      expect(undo.slice(-2)).toMatchObject([
        { step: 'issueApiKey', resourceId: keyId, result: 'undone' },
        { step: 'issueApiKey', resourceId: ownKeyId, result: 'undone' },
      ]);
      expect(scripted.count('revokeApiKey')).toBeLessThan(30);
    }));

  test('the next onboarding replaces the own key, and leaves a claimed one valid', () =>
    withOnboardings({ ...scoped, outcome: () => ({ status: 'bounced', bounce }) }, async (environment) => {
      const { start, secretStore, scripted } = environment;
      const first = await failureOf(await start());
      const claimed = await getIssued(secretStore, apiKeyRef('acme'));
      const own = await getIssued(secretStore, ownKeyRef('acme'));
      expect(first.details.undo.slice(-2)).toMatchObject([
        { step: 'issueApiKey', resourceId: claimed?.id, result: 'kept' },
        { step: 'issueApiKey', resourceId: own?.id, result: 'kept' },
      ]);
      const { onboarding } = await environment.recordOf();
      expect(whatRemains(onboarding).filter(({ step }) => step === 'issueApiKey')).toEqual([
        { step: 'issueApiKey', resourceId: claimed?.id },
        { step: 'issueApiKey', resourceId: own?.id },
      ]);
      await secretStore.delete(apiKeyRef('acme'));
      await failureOf(
        await start(validInput({ firstEmail: { recipient: 'new@inbox.test', subject: 'S', body: 'B' } })),
      );
      const existing = scripted.existingOf('acme');
      expect(existing).toContain(claimed?.id);
      expect(existing).not.toContain(own?.id);
      expect(existing.filter((id) => id.startsWith('key'))).toHaveLength(3);
    }));

  test('a refusal of the second key, once it has repeated for five minutes, gives the tenant the first', () => {
    let keys = 0;
    const before = (call: Call): void => {
      if (call === 'createApiKey' && ++keys % 2 === 0)
        throw answeredWith(call, { httpStatus: 422, code: 'validation_failed' });
    };
    return withOnboardings({ ...scoped, before }, async ({ start, secretStore, scripted }) => {
      const { keyId } = (await (await start()).result()) as { keyId: string };
      expect(scripted.existingOf('acme').filter((id) => id.startsWith('key'))).toEqual([keyId]);
      expect([...secretStore.values.keys()]).not.toContain(ownKeyRef('acme'));
    });
  });
});

test('a provider that shows no scopes is asked for one key', () =>
  withOnboardings({}, async ({ start, secretStore, scripted }) => {
    await (await start()).result();
    expect(scripted.count('createApiKey')).toBe(1);
    expect([...secretStore.values.keys()]).not.toContain(ownKeyRef('acme'));
  }));
