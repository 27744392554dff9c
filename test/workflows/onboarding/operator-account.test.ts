// An onboarding at a provider that repeats creations: at most one of each resource, and one email, whatever is lost.
import { expect, test } from 'vitest';
import { apiKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { getIssued } from '../../../src/store/issued-secret.ts';
import { failureOf } from '../../support/onboarding-environment.ts';
import { account, ageNotes, atResend, left, looksUp, reported, resend, useResend } from './at-resend.ts';

useResend();

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
    await environment.until(() => resend.count(/^GET .domains$/) > before);
    await environment.sleep('1 minute');
    await onboardings.cancel('acme');
    await expect(again.result()).rejects.toThrow();
    expect(resend.domains).toEqual([kept]);
  });
});

test('an email whose answer was lost is found without an Idempotency-Key', async () => {
  let isLosing = true;
  let looks = 0;
  looksUp(() => (++looks > 2 ? resend.emails[0] : undefined));
  resend.rules.isLost = (request) => request === 'POST /emails' && isLosing;
  await atResend({}, async (environment) => {
    const handle = await environment.start();
    await environment.until(() => looks > 0);
    isLosing = false;
    const waiting = (await environment.register.get('acme'))?.waiting;
    expect(waiting?.message).toMatch(/resend may have accepted the email to .* at \d{4}-.*not sent again/);
    expect(await handle.result()).toMatchObject({ emailId: resend.emails[0]?.id });
    expect(left()).toEqual([1, 1, 1]);
  });
});

test('an email whose answer was lost is found by its event', async () => {
  await atResend({}, async (environment) => {
    const { start, database } = environment;
    let isLosing = true;
    resend.rules.isLost = (request) => request === 'POST /emails' && isLosing;
    const handle = await start();
    await environment.until(() => resend.emails.length === 1);
    const [email] = resend.emails;
    const intentId = (JSON.parse(email?.content ?? '') as { tags: { value: string }[] }).tags[1]?.value;
    expect(await reported(database, { emailId: email?.id, intentId })).toHaveLength(1);
    // Now the provider would refuse a repetition, and the answer to none arrives.
    await ageNotes(environment);
    expect(await handle.result()).toMatchObject({ emailId: email?.id });
    isLosing = false;
    expect(left()).toEqual([1, 1, 1]);
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
