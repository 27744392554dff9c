import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { makeOnce } from '../../../src/activities/onboarding/make-once.ts';
import { ProviderError, ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { bounceOf } from '../../../src/email-provider/bounce-words.ts';
import type { ProviderEvent } from '../../../src/onboarding/provider-event.ts';
import { createSqlProviderEvents } from '../../../src/store/onboarding/provider-events.ts';
import { buildHttpApp } from '../../../src/http/app.ts';
import { httpDependencies } from '../../support/http-dependencies.ts';
import { failureOf } from '../../support/onboarding-environment.ts';
import { validInput } from '../../support/valid-input.ts';
import { account, atResend, left, looksUp, reported, resend, until, useResend } from './at-resend.ts';

useResend();

test('an email that is not found within a day is not sent again', async () => {
  let looks = 0;
  looksUp(() => {
    looks += 1;
    return undefined;
  });
  resend.rules.isLost = (request) => request === 'POST /emails';
  await atResend({}, async ({ start, register }) => {
    expect(await failureOf(await start())).toMatchObject({ type: 'SendOutcomeUnknown' });
    expect(left()).toEqual([1, 1, 1]);
    expect(looks).toBeGreaterThan(80);
    expect(looks).toBeLessThan(110);
    const undo = (await register.get('acme'))?.onboarding.undo ?? [];
    expect(undo.map(({ result }) => result)).not.toContain('undone');
  });
});

test('ten thousand tenants who publish nothing cost fewer than 600 requests an hour', async () => {
  resend.rules.isPublished = () => false;
  await atResend({ dns: () => 'missing' }, async (environment) => {
    const { start, sleep } = environment;
    const handle = await start({ ...validInput(), verificationWindow: '240 hours' });
    await until(environment, () => resend.domains.length === 1);
    await sleep('1 minute');
    const before = resend.requests.length;
    await sleep('235 hours');
    const ofOne = resend.requests.length - before;
    expect(ofOne).toBeGreaterThan(4);
    // They have begun at different times.
    expect((ofOne * 10_000) / 235).toBeLessThan(600);
    await environment.onboardings.cancel('acme');
    await expect(handle.result()).rejects.toThrow();
  });
});

test('an email whose outcome is unknown is sent once more after a person has released it, and only then', async () => {
  await atResend({}, async (environment) => {
    const { start, database, register, views } = environment;
    const token = 'a-token-of-the-backend-long-enough';
    const app = buildHttpApp(httpDependencies({ ...environment, apiTokens: [{ name: 'backend', token }] }));
    const release = async (tenantId = 'acme', payload: object = { by: 'ops', reason: 'Not in the log of Resend.' }) => {
      const url = `/onboardings/${tenantId}/first-email/release`;
      const answer = await app.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${token}` } });
      return [answer.statusCode, answer.json<{ code?: string; detail?: string }>()] as const;
    };
    expect(await release()).toMatchObject([404, { code: 'not_found' }]);

    let isLosing = true;
    resend.rules.isLost = (request) => request === 'POST /emails' && isLosing;
    const handle = await start();
    await until(environment, () => resend.emails.length === 1);
    expect(await release()).toMatchObject([409, { code: 'update_refused' }]);
    const since = '2020-01-01T00:00:00.000Z';
    await database
      .updateTable('provider_intents')
      .set({ noted_at: since })
      .where('intent', 'like', '%/email/%')
      .execute();
    isLosing = false;
    expect(await failureOf(handle)).toMatchObject({ type: 'SendOutcomeUnknown' });
    expect(await failureOf(await start())).toMatchObject({ type: 'SendOutcomeUnknown' });
    expect(resend.emails).toHaveLength(1);
    const unknown = await views.get('acme');
    expect(unknown).toMatchObject({ firstEmailRelease: null });
    expect(unknown?.failure?.message).toContain('sendoff release-email acme --reason TEXT');

    expect(await release('acme', { by: 'ops' })).toMatchObject([422, {}]);
    const answers = await Promise.all([release(), release()]);
    expect(answers.map(([status]) => status).sort()).toEqual([200, 409]);
    expect(answers.find(([status]) => status === 200)?.[1]).toEqual({
      ...{ tenantId: 'acme', provider: 'resend', since, recipient: validInput().firstEmail.recipient },
    });
    expect((await views.get('acme'))?.firstEmailRelease).toEqual({
      ...{ by: 'ops', reason: 'Not in the log of Resend.', at: expect.any(String) as string },
    });
    const requested = (await register.events({ tenantId: 'acme', after: 0, limit: 100 })).filter(
      ({ type }) => type === 'onboarding.requested',
    );
    expect(requested.at(-1)?.data).toMatchObject({
      ...{ request: 'release_email', by: 'ops', reason: 'Not in the log of Resend.', apiTokenName: 'backend' },
    });

    // The provider still knows the key of the first one.
    await (await start()).result();
    expect(left()).toEqual([1, 1, 2]);
    expect(await release()).toMatchObject([409, { code: 'update_refused' }]);
    await app.close();
  });
});

test('an email that its event has named cannot be released, and the next onboarding adopts it', async () => {
  await atResend({}, async (environment) => {
    const { start, database, intents } = environment;
    resend.rules.isLost = (request) => request === 'POST /emails';
    const handle = await start();
    await until(environment, () => resend.emails.length === 1);
    const since = '2020-01-01T00:00:00.000Z';
    await database
      .updateTable('provider_intents')
      .set({ noted_at: since })
      .where('intent', 'like', '%/email/%')
      .execute();
    expect(await failureOf(handle)).toMatchObject({ type: 'SendOutcomeUnknown' });
    const { intent_id: intentId } = await database
      .selectFrom('provider_intents')
      .select('intent_id')
      .where('intent_id', 'is not', null)
      .executeTakeFirstOrThrow();
    const events = createSqlProviderEvents(database);
    const emailId = resend.emails[0]?.id ?? '';
    const event: ProviderEvent = { eventId: 'evt', type: 'accepted', at: since, emailId, intentId: intentId ?? '' };
    expect(await events.store('resend', [event])).toHaveLength(1);
    const released = { by: 'ops', reason: 'r', at: since };
    expect(await intents.release({ provider: 'resend', tenantId: 'acme', notedAt: since }, released)).toBe('reported');
    expect(await intents.release({ provider: 'ses', tenantId: 'acme', notedAt: since }, released)).toBe('none');
    expect(await intents.release({ provider: 'resend', tenantId: 'other', notedAt: since }, released)).toBe('none');
    await (await start()).result();
    expect(left()).toEqual([1, 1, 1]);
  });
});

test('a domain that sendoff did not create for this tenant is neither used nor deleted', async () => {
  resend.domains.push({ id: 'foreign', name: validInput().domain, status: 'verified' });
  await atResend({}, async ({ start }) => {
    const failure = await failureOf(await start());
    expect(failure).toMatchObject({ type: 'ProviderRejected', details: { code: 'domain_taken' } });
    expect(resend.domains.map(({ id }) => id)).toEqual(['foreign']);
  });
});

test('the domain of another tenant is neither used nor deleted', async () => {
  await atResend({}, async ({ start }) => {
    await (await start()).result();
    const second = await start({ ...validInput(), tenantId: 'other' });
    expect(await failureOf(second)).toMatchObject({ type: 'ProviderRejected', details: { code: 'domain_taken' } });
    expect(left()).toEqual([1, 1, 1]);
  });
});

test('an email whose answer was lost is not sent again once the provider has forgotten its key', async () => {
  await atResend({}, async (environment) => {
    const { start, database, register } = environment;
    let isLosing = true;
    resend.rules.isLost = (request) => request === 'POST /emails' && isLosing;
    const handle = await start();
    await until(environment, () => resend.emails.length === 1);
    await database.updateTable('provider_intents').set({ noted_at: '2020-01-01T00:00:00.000Z' }).execute();
    isLosing = false;
    const failure = await failureOf(handle);
    expect(failure).toMatchObject({ type: 'SendOutcomeUnknown', details: { since: '2020-01-01T00:00:00.000Z' } });
    expect(left()).toEqual([1, 1, 1]);
    const undo = (await register.get('acme'))?.onboarding.undo ?? [];
    expect(undo.map(({ result }) => result)).not.toContain('undone');
  });
});

test.each(['POST /domains', 'POST /api-keys'])(
  'a cancellation while the answers to %s are lost leaves nothing',
  async (lost) => {
    let isLosing = true;
    resend.rules.isLost = (request) => request === lost && isLosing;
    await atResend({}, async (environment) => {
      const handle = await environment.start();
      await until(environment, () => resend.count(new RegExp(`^${lost}$`)) > 0);
      await handle.cancel();
      isLosing = false;
      await expect(handle.result()).rejects.toThrow();
      expect(left()).toEqual([0, 0, 0]);
    });
  },
);

test('an email that bounced is explained by its event', async () => {
  resend.rules.lastEvent = () => 'delivery_delayed';
  await atResend({}, async (environment) => {
    const { start, database } = environment;
    const handle = await start();
    await until(environment, () => resend.emails.length === 1);
    await environment.sleep('1 minute');
    const bounce = bounceOf({
      ...{ type: 'Permanent', subType: 'NoEmail', reason: 'No such mailbox' },
      diagnostic: 'smtp; 550 5.1.1 user unknown',
    });
    expect(await reported(database, { type: 'bounced', emailId: resend.emails[0]?.id, bounce })).toHaveLength(1);
    resend.rules.lastEvent = () => 'bounced';
    expect(await failureOf(handle)).toMatchObject({
      type: 'EmailBounced',
      details: { category: 'recipient', smtpCode: 550, enhancedCode: '5.1.1', reason: 'No such mailbox' },
    });
  });
});

test.each(['after the end', 'between the last poll and the end'])(
  'an email that the poll finds bounced is explained by an event that arrives %s',
  async (when) => {
    await atResend({}, async (environment) => {
      const { start, database, register, views } = environment;
      const bounce = bounceOf({
        ...{ type: 'Permanent', subType: 'NoEmail', reason: 'No such mailbox' },
        diagnostic: 'smtp; 550 5.1.1 user unknown',
      });
      const receive = () => reported(database, { type: 'bounced', emailId: resend.emails[0]?.id, bounce });
      if (when !== 'after the end') {
        const getEmail = account.getEmail.bind(account);
        account.getEmail = async (...call) => {
          const email = await getEmail(...call);
          // The Activity has read the stored events before.
          expect(await receive()).toHaveLength(1);
          return email;
        };
      }
      resend.rules.lastEvent = () => 'bounced';
      expect(await failureOf(await start())).toMatchObject({ type: 'EmailBounced', details: { category: 'unknown' } });
      if (when === 'after the end') {
        expect((await register.get('acme'))?.failure?.details).toMatchObject({ category: 'unknown', diagnostic: null });
        await receive();
        await register.explainBounce('acme', new Date().toISOString());
      }
      const explained = (await register.get('acme'))?.failure;
      expect(explained).toMatchObject({
        message: `The email to ${validInput().firstEmail.recipient} bounced: No such mailbox`,
        details: { exit: 'F3', category: 'recipient', permanentFor: 'address', smtpCode: 550, enhancedCode: '5.1.1' },
      });
      expect((await views.get('acme'))?.failure).toEqual(explained);
    });
  },
);

test('two tenants that look for the same domain at once create it once', async () => {
  await atResend({}, async ({ intents }) => {
    const key = { provider: 'resend', kind: 'domain', subject: 'acme.test' } as const;
    let created = 0;
    const make = (tenantId: string) =>
      new MockActivityEnvironment().run(() =>
        makeOnce(intents, key, {
          step: { tenantId, attemptId: '1' },
          find: () => Promise.resolve(undefined),
          create: () => Promise.resolve({ id: `d${++created}` }),
        }),
      );
    const ends = await Promise.allSettled(['a', 'b'].map(make));
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(created).toBe(1);
    expect(await intents.get(key)).toMatchObject({ resourceId: 'd1' });
  });
});

test('a refusal does not forget that an earlier request may have created the domain', async () => {
  await atResend({}, async ({ intents }) => {
    const key = { provider: 'resend', kind: 'domain', subject: 'acme.test' } as const;
    let exists = false;
    const make = (failure: Error) =>
      new MockActivityEnvironment().run(() =>
        makeOnce(intents, key, {
          step: { tenantId: 'acme', attemptId: '1' },
          find: () => Promise.resolve(exists ? { id: 'd1' } : undefined),
          create: () => Promise.reject(failure),
        }),
      );
    const refused = new ProviderError('POST /domains', { meaning: 'refused', mayHaveActed: false, httpStatus: 422 });
    await expect(make(new ProviderUnreachable('POST /domains', 'a time-out'))).rejects.toThrow();
    await expect(make(refused)).rejects.toThrow();
    exists = true;
    expect(await make(refused)).toEqual({ resource: { id: 'd1' }, adopted: false });
  });
});

test('a refusal of the only request leaves no note, so that another tenant can use the domain', async () => {
  await atResend({}, async ({ intents }) => {
    const key = { provider: 'resend', kind: 'domain', subject: 'acme.test' } as const;
    const refused = new ProviderError('POST /domains', { meaning: 'refused', mayHaveActed: false, httpStatus: 422 });
    const making = new MockActivityEnvironment().run(() =>
      makeOnce(intents, key, {
        step: { tenantId: 'acme', attemptId: '1' },
        find: () => Promise.resolve(undefined),
        create: () => Promise.reject(refused),
      }),
    );
    await expect(making).rejects.toThrow();
    expect(await intents.get(key)).toBeUndefined();
  });
});

test('the provider is asked once the zone shows the records, and otherwise once a day', async () => {
  let isPublished = false;
  resend.rules.isPublished = () => isPublished;
  await atResend({ dns: () => (isPublished ? 'published' : 'missing') }, async (environment) => {
    const { start, sleep } = environment;
    const handle = await start();
    await until(environment, () => resend.domains.length === 1);
    await sleep('1 minute');
    const before = resend.requests.length;
    await sleep('20 hours');
    expect(resend.requests.length).toBe(before);
    await sleep('16 hours');
    expect(resend.count(/^POST .*verify$/)).toBe(1);
    isPublished = true;
    await handle.result();
    expect(left()).toEqual([1, 1, 1]);
  });
});
