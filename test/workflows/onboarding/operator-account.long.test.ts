import { expect, test } from 'vitest';
import { bounceOf } from '../../../src/email-provider/bounce-words.ts';
import type { ProviderName } from '../../../src/onboarding/provider-name.ts';
import type { ProviderEvent } from '../../../src/onboarding/provider-event.ts';
import { createSqlProviderEvents } from '../../../src/store/onboarding/provider-events.ts';
import { buildHttpApp } from '../../../src/http/app.ts';
import { httpDependencies } from '../../support/http-dependencies.ts';
import { authorization } from '../../support/http-requests.ts';
import { failureOf } from '../../support/onboarding-environment.ts';
import { validInput } from '../../support/valid-input.ts';
import { account, ageNotes, atResend, left, looksUp, NOTED_AT, reported, resend, useResend } from './at-resend.ts';

useResend();

test('an email that is not found within a day is not sent again', async () => {
  let looks = 0;
  looksUp(() => {
    looks += 1;
    return undefined;
  });
  resend.rules.isLost = (request) => request === 'POST /emails';
  await atResend({}, async ({ start, recordOf }) => {
    expect(await failureOf(await start())).toMatchObject({ type: 'SendOutcomeUnknown' });
    expect(left()).toEqual([1, 1, 1]);
    expect(looks).toBeGreaterThan(80);
    expect(looks).toBeLessThan(110);
    const { undo } = (await recordOf()).onboarding;
    expect(undo.map(({ result }) => result)).not.toContain('undone');
  });
});

test('ten thousand tenants who publish nothing cost fewer than 600 requests an hour', async () => {
  resend.rules.isPublished = () => false;
  await atResend({ dns: () => 'missing' }, async (environment) => {
    const { start, sleep } = environment;
    const handle = await start({ ...validInput(), verificationWindow: '240 hours' });
    await environment.until(() => resend.domains.length === 1);
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
    const { start, register, viewOf } = environment;
    const app = buildHttpApp(httpDependencies(environment));
    const release = async (tenantId = 'acme', payload: object = { by: 'ops', reason: 'Not in the log of Resend.' }) => {
      const url = `/onboardings/${tenantId}/first-email/release`;
      const answer = await app.inject({ method: 'POST', url, payload, headers: { authorization } });
      return [answer.statusCode, answer.json<{ code?: string; detail?: string }>()] as const;
    };
    expect(await release()).toMatchObject([404, { code: 'not_found' }]);

    let isLosing = true;
    resend.rules.isLost = (request) => request === 'POST /emails' && isLosing;
    const handle = await start();
    await environment.until(() => resend.emails.length === 1);
    expect(await release()).toMatchObject([409, { code: 'update_refused' }]);
    await ageNotes(environment);
    isLosing = false;
    expect(await failureOf(handle)).toMatchObject({ type: 'SendOutcomeUnknown' });
    expect(await failureOf(await start())).toMatchObject({ type: 'SendOutcomeUnknown' });
    expect(resend.emails).toHaveLength(1);
    const unknown = await viewOf();
    expect(unknown).toMatchObject({ firstEmailRelease: null });
    expect(unknown.failure?.message).toContain('sendoff release-email acme --reason TEXT');

    expect(await release('acme', { by: 'ops' })).toMatchObject([422, {}]);
    const answers = await Promise.all([release(), release()]);
    expect(answers.map(([status]) => status).sort()).toEqual([200, 409]);
    expect(answers.find(([status]) => status === 200)?.[1]).toEqual({
      ...{ tenantId: 'acme', provider: 'resend', since: NOTED_AT, recipient: validInput().firstEmail.recipient },
    });
    expect((await viewOf()).firstEmailRelease).toEqual({
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
    await environment.until(() => resend.emails.length === 1);
    await ageNotes(environment);
    expect(await failureOf(handle)).toMatchObject({ type: 'SendOutcomeUnknown' });
    const { intent_id: intentId } = await database
      .selectFrom('provider_intents')
      .select('intent_id')
      .where('intent_id', 'is not', null)
      .executeTakeFirstOrThrow();
    const events = createSqlProviderEvents(database);
    const emailId = resend.emails[0]?.id ?? '';
    const event: ProviderEvent = { eventId: 'evt', type: 'accepted', at: NOTED_AT, emailId, intentId: intentId ?? '' };
    expect(await events.store('resend', [event])).toHaveLength(1);
    const release = (provider: ProviderName, tenantId: string) =>
      intents.release({ provider, tenantId, notedAt: NOTED_AT }, { by: 'ops', reason: 'r', at: NOTED_AT });
    expect(await release('resend', 'acme')).toBe('reported');
    expect(await release('ses', 'acme')).toBe('none');
    expect(await release('resend', 'other')).toBe('none');
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
    const { start, recordOf } = environment;
    let isLosing = true;
    resend.rules.isLost = (request) => request === 'POST /emails' && isLosing;
    const handle = await start();
    await environment.until(() => resend.emails.length === 1);
    await ageNotes(environment);
    isLosing = false;
    const failure = await failureOf(handle);
    expect(failure).toMatchObject({ type: 'SendOutcomeUnknown', details: { since: NOTED_AT } });
    expect(left()).toEqual([1, 1, 1]);
    const { undo } = (await recordOf()).onboarding;
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
      await environment.until(() => resend.count(new RegExp(`^${lost}$`)) > 0);
      await handle.cancel();
      isLosing = false;
      await expect(handle.result()).rejects.toThrow();
      expect(left()).toEqual([0, 0, 0]);
    });
  },
);

const bounce = bounceOf({
  ...{ type: 'Permanent', subType: 'NoEmail', reason: 'No such mailbox' },
  diagnostic: 'smtp; 550 5.1.1 user unknown',
});

test('an email that bounced is explained by its event', async () => {
  resend.rules.lastEvent = () => 'delivery_delayed';
  await atResend({}, async (environment) => {
    const { start, database } = environment;
    const handle = await start();
    await environment.until(() => resend.emails.length === 1);
    await environment.sleep('1 minute');
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
      const { start, database, register, recordOf, viewOf } = environment;
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
        expect((await recordOf()).failure?.details).toMatchObject({ category: 'unknown', diagnostic: null });
        await receive();
        await register.explainBounce('acme', new Date().toISOString());
      }
      const explained = (await recordOf()).failure;
      expect(explained).toMatchObject({
        message: `The email to ${validInput().firstEmail.recipient} bounced: No such mailbox`,
        details: { exit: 'F3', category: 'recipient', permanentFor: 'address', smtpCode: 550, enhancedCode: '5.1.1' },
      });
      expect((await viewOf()).failure).toEqual(explained);
    });
  },
);

test('the provider is asked once the zone shows the records, and otherwise once a day', async () => {
  let isPublished = false;
  resend.rules.isPublished = () => isPublished;
  await atResend({ dns: () => (isPublished ? 'published' : 'missing') }, async (environment) => {
    const { start, sleep } = environment;
    const handle = await start();
    await environment.until(() => resend.domains.length === 1);
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
