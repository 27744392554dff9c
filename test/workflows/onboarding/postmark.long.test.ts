// An onboarding at Postmark, where each tenant has a server and no request can be repeated: at most one of each resource, and one email.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAST_POSTMARK, type FakePostmark, startFakePostmark } from '../../../src/conformance/fakes/fake-postmark.ts';
import { createPostmarkAccount } from '../../../src/email-provider/adapters/postmark/postmark-account.ts';
import type { OperatorAccount } from '../../../src/email-provider/operator-account.ts';
import { apiKeyRef, signingSecretRef } from '../../../src/onboarding/onboarding-ids.ts';
import { getIssued } from '../../../src/store/issued-secret.ts';
import { failureOf, type OnboardingEnvironment, withOnboardings } from '../../support/onboarding-environment.ts';
import type { Script } from '../../support/scripted-provider.ts';
import { validInput } from '../../support/valid-input.ts';

let postmark: FakePostmark;
let account: OperatorAccount;
beforeEach(async () => {
  postmark = await startFakePostmark();
  account = createPostmarkAccount({ baseUrl: postmark.baseUrl, ...FAST_POSTMARK });
});
afterEach(async () => {
  await account.close();
  await postmark.close();
});

const atPostmark = (
  script: Partial<Script>,
  use: (environment: OnboardingEnvironment) => Promise<void>,
): Promise<void> => withOnboardings({ dns: () => 'published', ...script }, use, { accounts: { postmark: account } });

const left = () => [postmark.servers.length, postmark.webhooks.length, postmark.domains.length, postmark.emails.length];

test('onboards, and holds the key that came with the server', async () => {
  await atPostmark({}, async ({ start, secretStore, viewOf }) => {
    const result = await (await start()).result();
    expect(left()).toEqual([1, 1, 1, 1]);
    const [server] = postmark.servers;
    const keyId = String(server?.id);
    expect(result).toMatchObject({ keyId, tokenRef: apiKeyRef('acme'), senderId: validInput().fromAddress });
    expect((await viewOf()).apiKey).toMatchObject({ keyId, state: 'held' });
    expect(await getIssued(secretStore, apiKeyRef('acme'))).toEqual({ id: keyId, secret: server?.token });
    expect(await getIssued(secretStore, signingSecretRef('acme'))).toMatchObject({
      secret: postmark.webhooks[0]?.secret,
    });
    expect(postmark.emails[0]?.server).toBe(server?.id);
  });
});

test.each([
  'POST /servers',
  'GET /servers',
  'POST /webhooks',
  'GET /webhooks',
  'POST /domains/',
  'GET /domains',
  'POST /email',
])('an answer to %s that is lost after its effect leaves one of each', async (lost) => {
  let losses = 1;
  postmark.rules.isLost = (request) => request === lost && losses-- > 0;
  await atPostmark({}, async ({ start }) => {
    await (await start()).result();
    expect(losses).toBeLessThan(1);
    expect(left()).toEqual([1, 1, 1, 1]);
  });
});

test.each(['POST /servers', 'POST /domains/', 'DELETE /servers', 'DELETE /domains', 'DELETE /webhooks'])(
  'a cancellation while an answer to %s is lost leaves nothing',
  async (lost) => {
    const isDeletion = lost.startsWith('DELETE');
    let losses = isDeletion ? 1 : Infinity;
    postmark.rules.isPublished = () => false;
    postmark.rules.isLost = (request) => request.startsWith(lost) && losses-- > 0;
    await atPostmark({ dns: () => 'missing' }, async (environment) => {
      const handle = await environment.start();
      await environment.until(() =>
        isDeletion ? postmark.domains.length > 0 : postmark.count(new RegExp(`^${lost}`)) > 0,
      );
      await environment.sleep('1 minute');
      await environment.onboardings.cancel('acme');
      if (!isDeletion) losses = 0;
      await expect(handle.result()).rejects.toThrow();
      expect(left()).toEqual([0, 0, 0, 0]);
    });
  },
);

test('without the permission to delete servers, the server is kept without its webhook, and serves the next onboarding', async () => {
  postmark.rules.deletesServers = false;
  postmark.rules.isPublished = () => false;
  await atPostmark({ dns: () => 'missing' }, async (environment) => {
    const { start, onboardings, recordOf, viewOf, secretStore } = environment;
    const handle = await start();
    await environment.until(() => postmark.domains.length > 0);
    await environment.sleep('1 minute');
    await onboardings.cancel('acme');
    await expect(handle.result()).rejects.toThrow();
    expect(left()).toEqual([1, 0, 0, 0]);
    expect(await getIssued(secretStore, apiKeyRef('acme'))).toBeUndefined();
    const keyId = String(postmark.servers[0]?.id);
    expect((await viewOf()).apiKey).toMatchObject({ keyId, state: 'forgotten' });
    const { undo } = (await recordOf()).onboarding;
    expect(undo.find(({ step }) => step === 'issueApiKey')).toMatchObject({
      ...{ resourceId: keyId, result: 'kept' },
      reason: expect.stringMatching(/only once its support has granted that \(ErrorCode 604\)/) as string,
    });
    const again = await start();
    await environment.until(() => postmark.domains.length > 0);
    expect(left()).toEqual([1, 1, 1, 0]);
    await environment.sleep('1 minute');
    await onboardings.cancel('acme');
    await expect(again.result()).rejects.toThrow();
  });
});

test('a domain of another tenant, or of the account, is neither used nor deleted', async () => {
  await atPostmark({}, async ({ start }) => {
    await (await start()).result();
    const second = await start({ ...validInput(), tenantId: 'other' });
    expect(await failureOf(second)).toMatchObject({ type: 'ProviderRejected', details: { code: 'domain_taken' } });
    expect(left()).toEqual([1, 1, 1, 1]);
    const foreign = postmark.addVerified('foreign.test');
    const third = await start({
      ...validInput(),
      tenantId: 'third',
      domain: 'foreign.test',
      fromAddress: 'a@foreign.test',
    });
    expect(await failureOf(third)).toMatchObject({ type: 'ProviderRejected', details: { code: 'domain_taken' } });
    expect(postmark.domains).toContain(foreign);
    expect(left()).toEqual([1, 1, 2, 1]);
  });
});

test('a suppressed recipient is F3, and everything is kept', async () => {
  postmark.rules.isSuppressed = () => true;
  await atPostmark({}, async ({ start }) => {
    const failure = await failureOf(await start());
    expect(failure).toMatchObject({ type: 'EmailBounced', details: { emailId: null, category: 'suppressed' } });
    expect(left()).toEqual([1, 1, 1, 0]);
  });
});

test('an email that the search does not show is not sent again', async () => {
  postmark.rules.isListed = () => false;
  postmark.rules.isLost = (request) => request === 'POST /email';
  await atPostmark({}, async ({ start }) => {
    expect(await failureOf(await start())).toMatchObject({
      type: 'SendOutcomeUnknown',
      details: { provider: 'postmark' },
    });
    expect(left()).toEqual([1, 1, 1, 1]);
    expect(postmark.count(/^POST .email$/)).toBe(1);
  });
});

test('a webhook that Postmark refuses holds nothing up', async () => {
  postmark.rules.before = (request) =>
    request === 'POST /webhooks' ? { status: 422, body: { ErrorCode: 606, Message: 'Invalid URL.' } } : undefined;
  await atPostmark({}, async ({ start }) => {
    await (await start()).result();
    expect(left()).toEqual([1, 0, 1, 1]);
  });
});
