// An onboarding at a provider that repeats creations: at most one of each resource, and one email, whatever is lost.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeOnce } from '../../../src/activities/onboarding/make-once.ts';
import { createResendAccount } from '../../../src/email-provider/adapters/resend/resend-account.ts';
import type { OperatorAccount } from '../../../src/email-provider/operator-account.ts';
import { ProviderError, ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { apiKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { getIssued } from '../../../src/store/issued-secret.ts';
import { bounceOf } from '../../../src/email-provider/bounce-words.ts';
import type { ProviderEvent } from '../../../src/onboarding/provider-event.ts';
import { createSqlProviderEvents } from '../../../src/store/onboarding/sql-provider-events.ts';
import { FAST, type FakeResend, startFakeResend } from '../../../src/conformance/fakes/fake-resend.ts';
import { buildHttpApp } from '../../../src/http/app.ts';
import { httpDependencies } from '../../support/http-dependencies.ts';
import { failureOf, type OnboardingEnvironment, withOnboardings } from '../../support/onboarding-environment.ts';
import type { Script } from '../../support/scripted-provider.ts';
import { validInput } from '../../support/valid-input.ts';

let resend: FakeResend;
let account: OperatorAccount;
beforeEach(async () => {
  resend = await startFakeResend();
  account = createResendAccount({ baseUrl: resend.baseUrl, ...FAST });
});
afterEach(async () => {
  await account.close();
  await resend.close();
});

const atResend = (script: Partial<Script>, use: (environment: OnboardingEnvironment) => Promise<void>): Promise<void> =>
  withOnboardings({ dns: () => 'published', ...script }, use, undefined, undefined, { accounts: { resend: account } });

/** Virtual time passes meanwhile. */
async function until({ sleep }: OnboardingEnvironment, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100 && !holds(); tries += 1) await sleep('10 seconds');
  expect(holds()).toBe(true);
}

const left = () => [resend.domains.length, resend.keys.length, resend.emails.length];

test('onboards, and holds the key that came with the sender', async () => {
  await atResend({}, async ({ start, register, secretStore, views }) => {
    const result = (await (await start()).result()) as { keyId: string; senderId: string };
    expect(left()).toEqual([1, 1, 1]);
    expect(result).toMatchObject({ keyId: resend.keys[0]?.id, senderId: resend.keys[0]?.id });
    expect((await register.get('acme'))?.onboarding.provider).toBe('resend');
    expect((await views.get('acme'))?.apiKey).toMatchObject({ keyId: resend.keys[0]?.id, state: 'held' });
    expect(await getIssued(secretStore, apiKeyRef('acme'))).toEqual({
      id: result.keyId,
      secret: resend.keys[0]?.token,
    });
  });
});

test.each(['POST /domains', 'POST /api-keys', 'POST /emails', 'GET /domains', 'GET /api-keys'])(
  'an answer to %s that is lost after its effect leaves one of each',
  async (lost) => {
    let losses = 1;
    resend.rules.isLost = (request) => request === lost && losses-- > 0;
    await atResend({}, async ({ start }) => {
      await (await start()).result();
      expect(losses).toBeLessThan(1);
      expect(left()).toEqual([1, 1, 1]);
    });
  },
);

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

test('F1 keeps the domain for the next onboarding, which does not delete it either', async () => {
  resend.rules.isPublished = () => false;
  await atResend({ dns: () => 'missing' }, async (environment) => {
    const { start, onboardings } = environment;
    const failure = await failureOf(await start());
    expect(failure).toMatchObject({ type: 'DomainVerificationTimedOut' });
    const [kept] = resend.domains;
    expect(left()).toEqual([1, 0, 0]);
    const before = resend.count(/^GET .domains$/);
    const again = await start();
    await until(environment, () => resend.count(/^GET .domains$/) > before);
    await environment.sleep('1 minute');
    await onboardings.cancel('acme');
    await expect(again.result()).rejects.toThrow();
    expect(resend.domains).toEqual([kept]);
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

/** A provider that knows no Idempotency-Key, and whose search finds what `found` returns. */
function looksUp(found: () => { id: string } | undefined): void {
  let requests = 0;
  const resendAccount = account;
  account = {
    ...resendAccount,
    facts: { ...resendAccount.facts, sendOnce: { kind: 'look-up', settleMs: 60_000 } },
    sendEmail: (email) => resendAccount.sendEmail(email, { idempotencyKey: `request-${++requests}` }),
    findEmail: () => Promise.resolve(found()),
  };
}

test('an email whose answer was lost is found without an Idempotency-Key', async () => {
  let isLosing = true;
  let looks = 0;
  looksUp(() => (++looks > 2 ? resend.emails[0] : undefined));
  resend.rules.isLost = (request) => request === 'POST /emails' && isLosing;
  await atResend({}, async (environment) => {
    const handle = await environment.start();
    await until(environment, () => looks > 0);
    isLosing = false;
    const waiting = (await environment.register.get('acme'))?.waiting;
    expect(waiting?.message).toMatch(/resend may have accepted the email to .* at \d{4}-.*not sent again/);
    expect(await handle.result()).toMatchObject({ emailId: resend.emails[0]?.id });
    expect(left()).toEqual([1, 1, 1]);
  });
});

const reported = (database: OnboardingEnvironment['database'], event: Partial<ProviderEvent>) =>
  createSqlProviderEvents(database).store('resend', [
    { eventId: 'msg_1', type: 'accepted', at: '2026-11-24T12:00:00.000Z', ...event },
  ]);

test('an email whose answer was lost is found by its event', async () => {
  await atResend({}, async (environment) => {
    const { start, database } = environment;
    let isLosing = true;
    resend.rules.isLost = (request) => request === 'POST /emails' && isLosing;
    const handle = await start();
    await until(environment, () => resend.emails.length === 1);
    const [email] = resend.emails;
    const intentId = (JSON.parse(email?.content ?? '') as { tags: { value: string }[] }).tags[1]?.value;
    expect(await reported(database, { emailId: email?.id, intentId })).toHaveLength(1);
    // Now the provider would refuse a repetition, and the answer to none arrives.
    await database.updateTable('provider_intents').set({ noted_at: '2020-01-01T00:00:00.000Z' }).execute();
    expect(await handle.result()).toMatchObject({ emailId: email?.id });
    isLosing = false;
    expect(left()).toEqual([1, 1, 1]);
  });
});

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

test('a recipient that is refused before there is an email is F3', async () => {
  const bounce = { category: 'suppressed', reason: 'The address is suppressed', smtpCode: null, enhancedCode: null };
  account.sendEmail = () =>
    Promise.resolve({ id: null, bounce: { ...bounce, diagnostic: null, remoteMta: null, permanentFor: 'address' } });
  await atResend({}, async ({ start, database, views }) => {
    const failure = await failureOf(await start());
    expect(failure).toMatchObject({ type: 'EmailBounced', details: { emailId: null, category: 'suppressed' } });
    expect(left()).toEqual([1, 1, 0]);
    expect((await views.get('acme'))?.remains.map(({ step }) => step)).toEqual(['registerDomain', 'createSender']);
    expect(await database.selectFrom('provider_intents').select('intent').execute()).toEqual([
      { intent: 'resend/domain/acme.test' },
      { intent: expect.stringMatching(/^resend\/sender\/so-[0-9a-f]{32}\/acme\.test$/) as string },
    ]);
  });
});

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
