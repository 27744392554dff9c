// The Activities against the email service itself, over HTTP.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apiKeyActivities } from '../../../src/activities/onboarding/create-api-keys.ts';
import { domainActivities } from '../../../src/activities/onboarding/register-domain.ts';
import { senderActivities } from '../../../src/activities/onboarding/create-sender.ts';
import { idOfLostAnswer } from '../../../src/activities/onboarding/undo.ts';
import { webhookActivities } from '../../../src/activities/onboarding/register-webhook.ts';
import {
  createHttpEmailProvider,
  type HttpEmailProvider,
} from '../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { errorAnswer } from '../../../src/email-provider/adapters/sendoff/error-answer.ts';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { apiKeyRef, signingSecretRef, ownKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { getIssued, putIssued } from '../../../src/store/issued-secret.ts';
import { OPERATOR_TOKEN, startTestApi, type TestApi } from '../../email-service/support/test-api.ts';
import { inActivity } from '../../support/in-activity.ts';
import { memorySecretStore } from '../../support/scripted-provider.ts';
import { noOperatorAccounts } from '../../support/no-operator-accounts.ts';

describe('the id of a lost answer', () => {
  const refusal = (httpStatus: number, code: string, existingId?: string) =>
    errorAnswer('POST /domains', { httpStatus, code, existingId });
  const found = (repeat: () => Promise<{ id: string }>, heartbeatDetails?: object) =>
    inActivity(() => idOfLostAnswer(repeat), { heartbeatDetails });

  test('is the id that the repetition returns', async () => {
    expect(await found(async () => ({ id: 'dom_1' }))).toBe('dom_1');
  });

  test('is found once: an earlier attempt may have created it at a provider that ignores Idempotency-Keys', async () => {
    const details = { answer: '', since: 0, times: 0, found: { resource: 'dom_1' } };
    expect(await found(() => Promise.reject(new Error('created again')), details)).toBe('dom_1');
  });

  test.each([
    ['was there before, so it is not its own', refusal(409, 'already_exists', 'dom_1'), null],
    ['was asked for in other words, and is its own', refusal(422, 'idempotency_key_reused', 'dom_1'), 'dom_1'],
    ['was refused as invalid: nothing', refusal(422, 'validation_failed'), null],
    ['was refused as too large: nothing', refusal(413, 'payload_too_large'), null],
  ])('%s', async (_name, refused, id) => {
    expect(await found(() => Promise.reject(refused))).toBe(id);
  });

  test.each([
    ['the key is no longer good', refusal(401, 'invalid_api_key')],
    ['the credential does not cover the call', refusal(403, 'insufficient_scope')],
    ['a proxy answers', refusal(422, 'blocked')],
    ['the first request is still under way', refusal(409, 'idempotency_in_progress')],
    ['there are too many requests', refusal(429, 'rate_limited')],
    ['the provider has a defect', refusal(500, 'internal')],
    ['nobody answers', new ProviderUnreachable('POST /domains', 'ECONNRESET')],
  ])('is unknown while %s: the undo is retried', async (_name, refused) => {
    await expect(found(() => Promise.reject(refused))).rejects.toBe(refused);
  });
});

describe('the keys of a provider that ignores Idempotency-Keys', () => {
  test.each([
    ['that knows scopes', ['send', 'read', 'manage'], { 'own key': 'key_1', "tenant's key": 'key_2' }],
    ['that knows none', undefined, { 'only key': 'key_1' }],
  ])('are found once at one %s, however often an attempt is killed', async (_name, scopes, found) => {
    const created: string[] = [];
    const revoked: string[] = [];
    let isDown = true;
    const provider = {
      createApiKey: async () => {
        const id = `key_${created.length + 1}`;
        created.push(id);
        return { id, token: `token of ${id}`, ...(scopes !== undefined && { scopes }) };
      },
      revokeApiKey: async (id: string) => {
        if (isDown) throw new ProviderUnreachable(`DELETE /api-keys/${id}`, 'ECONNRESET');
        revoked.push(id);
      },
      withKey: () => {
        throw new Error('not called');
      },
    };
    const keys = apiKeyActivities({ provider, operatorAccounts: noOperatorAccounts, secrets: memorySecretStore() });
    const undo = { tenantId: 'acme', attemptId: 'run-1', resourceId: null };
    const details: object[] = [];
    const attempt = () => {
      const environment = new MockActivityEnvironment(
        { heartbeatDetails: details.at(-1) },
        { logger: new DefaultLogger('ERROR') },
      );
      environment.on('heartbeat', (kept: object) => details.push(kept));
      return environment.run(() => keys.revokeApiKey(undo));
    };
    await expect(attempt()).rejects.toThrow('ECONNRESET');
    await expect(attempt()).rejects.toThrow('ECONNRESET');
    expect(details.at(-1)).toMatchObject({ found });
    isDown = false;
    const [own, tenants] = scopes === undefined ? [undefined, 'key_1'] : ['key_1', 'key_2'];
    expect(await attempt()).toEqual({
      resourceId: tenants,
      ...(own !== undefined && { own: { resourceId: own } }),
    });
    expect(created).toEqual(Object.values(found));
    expect(revoked.toSorted()).toEqual(created);
  });
});

describe('undo at the email service', () => {
  const DOMAIN = 'mail.acme.test';
  const FROM_ADDRESS = `hello@${DOMAIN}`;
  /** The onboarding under test; another one of the tenant was there before. */
  const step = { tenantId: 'acme', attemptId: 'run-2' };
  const earlier = { tenantId: 'acme', attemptId: 'run-1' };
  let api: TestApi;
  let provider: HttpEmailProvider;
  let token: string;
  let secrets: ReturnType<typeof memorySecretStore>;
  let activities: ReturnType<typeof activitiesOf>;
  const activitiesOf = () => {
    const dependencies = { provider, operatorAccounts: noOperatorAccounts, secrets };
    return {
      ...apiKeyActivities(dependencies),
      ...domainActivities(dependencies),
      ...senderActivities({ ...dependencies, register: { get: () => Promise.resolve(undefined) } }),
      ...webhookActivities({
        ...dependencies,
        webhookUrl: (tenantId) => `https://93.184.216.34/webhooks/${tenantId}`,
      }),
    };
  };

  beforeEach(async () => {
    api = await startTestApi();
    const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 });
    provider = createHttpEmailProvider({ baseUrl, operatorToken: OPERATOR_TOKEN });
    token = await api.openAccount('acme');
    secrets = memorySecretStore();
    await putIssued(secrets, apiKeyRef('acme'), { id: 'key_1', secret: token });
    activities = activitiesOf();
  });

  afterEach(async () => {
    await provider.close();
    await api.end();
  });

  const afterEarlier = <Result>(heartbeatDetails: object, work: () => Promise<Result>): Promise<Result> =>
    inActivity(work, { heartbeatDetails });
  const registerDomain = (by: typeof step) => inActivity(() => activities.registerDomain({ ...by, domain: DOMAIN }));
  async function registerVerified(by: typeof step): Promise<void> {
    const { domainId } = await registerDomain(by);
    await api.store.updateTable('domains').set({ status: 'verified' }).where('id', '=', domainId).execute();
  }
  const deleteDomain = (resourceId: string | null) =>
    inActivity(() => activities.deleteDomain({ ...step, domain: DOMAIN, resourceId }));
  const createSender = (by: typeof step) =>
    inActivity(() => activities.createSender({ ...by, fromAddress: FROM_ADDRESS }));
  const deleteSender = (resourceId: string | null) =>
    inActivity(() => activities.deleteSender({ ...step, fromAddress: FROM_ADDRESS, resourceId }));
  const deleteWebhook = (resourceId: string | null) =>
    inActivity(() => activities.deleteWebhook({ ...step, resourceId }));
  const listed = async (list: 'domains' | 'senders'): Promise<string[]> =>
    (await api.get(`/${list}`, token)).json<{ data: { id: string }[] }>().data.map(({ id }) => id);

  test('deletes the domain of this onboarding, by its id or by the repetition of a lost answer', async () => {
    const { domainId, adopted } = await registerDomain(step);
    expect(adopted).toBe(false);
    expect(await deleteDomain(null)).toEqual({ resourceId: domainId });
    expect(await listed('domains')).toEqual([]);
    // Already deleted: also a success, once the answer has repeated for five minutes.
    const again = () => activities.deleteDomain({ ...step, domain: DOMAIN, resourceId: domainId });
    await expect(inActivity(again)).rejects.toMatchObject({ httpStatus: 404, meaning: 'gone' });
    const repeated = { answer: `DELETE /domains/${domainId} 404 not_found`, since: -5 * 60_000, times: 2 };
    expect(await afterEarlier(repeated, again)).toEqual({ resourceId: domainId });
    // Or at once, after a deletion whose answer was lost; of something else it says nothing.
    expect(await afterEarlier({ times: 0, deleted: [domainId] }, again)).toEqual({ resourceId: domainId });
    const ofAnother = { times: 0, deleted: ['dom_other'] };
    await expect(afterEarlier(ofAnother, again)).rejects.toMatchObject({ meaning: 'gone' });
  });

  test('adopts an existing domain, and keeps it if the answer was lost', async () => {
    const { domainId } = await registerDomain(earlier);
    expect(await registerDomain(step)).toMatchObject({ domainId, adopted: true });
    expect(await deleteDomain(null)).toEqual({ resourceId: null });
    expect(await listed('domains')).toEqual([domainId]);
  });

  test('adopts an existing sender, and keeps it if the answer was lost', async () => {
    await registerVerified(earlier);
    const { senderId } = await createSender(earlier);
    expect(await createSender(step)).toEqual({ senderId, adopted: true });
    expect(await deleteSender(null)).toEqual({ resourceId: null });
    expect(await listed('senders')).toEqual([senderId]);
  });

  test('gives an adopted sender the display name of the onboarding, and keeps its name without one', async () => {
    await registerVerified(earlier);
    const { senderId } = await createSender(earlier);
    const named = { ...step, fromAddress: FROM_ADDRESS, fromName: 'Acme' };
    expect(await inActivity(() => activities.createSender(named))).toEqual({ senderId, adopted: true });
    expect(await createSender({ ...step, attemptId: 'later' })).toEqual({ senderId, adopted: true });
    expect(await api.store.selectFrom('senders').select(['id', 'name']).execute()).toEqual([
      { id: senderId, name: 'Acme' },
    ]);
  });

  test('deletes a sender with a display name by the repetition of a lost answer', async () => {
    await registerVerified(step);
    const sender = { ...step, fromAddress: FROM_ADDRESS, fromName: 'Müller, Söhne' };
    const { senderId } = await inActivity(() => activities.createSender(sender));
    expect((await api.get('/senders', token)).json()).toMatchObject({
      data: [{ id: senderId, name: 'Müller, Söhne' }],
    });
    const undone = await inActivity(() => activities.deleteSender({ ...sender, resourceId: null }));
    expect(undone).toEqual({ resourceId: senderId });
    expect(await listed('senders')).toEqual([]);
  });

  test('undoes nothing and sends no request without a stored key, because no later step can have run', async () => {
    await secrets.delete(apiKeyRef('acme'));
    expect(await deleteDomain(null)).toEqual({ resourceId: null });
    expect(await deleteWebhook(null)).toEqual({ resourceId: null });
    expect(await deleteSender(null)).toEqual({ resourceId: null });
    // What is known to be there cannot be deleted without it.
    await expect(deleteDomain('dom_1')).rejects.toMatchObject({ type: 'SecretMissing' });
  });

  test('deletes a key with its own token, not with the token of an earlier onboarding', async () => {
    const kept = await getIssued(secrets, apiKeyRef('acme'));
    // Cut off before anything was answered: the repetition makes a key and revokes it.
    const { resourceId } = await inActivity(() => activities.revokeApiKey({ ...step, resourceId: null }));
    expect(resourceId).toMatch(/^key_/);
    expect(await getIssued(secrets, apiKeyRef('acme'))).toEqual(kept);

    // The provider does not know the key that is kept.
    const unknown = { times: 0, deleted: [kept?.id] };
    const { keyId } = await afterEarlier(unknown, () =>
      activities.issueApiKey({ tenantId: 'acme', attemptId: 'run-3' }),
    );
    expect((await getIssued(secrets, apiKeyRef('acme')))?.id).toBe(keyId);
    await inActivity(() => activities.revokeApiKey({ tenantId: 'acme', attemptId: 'run-3', resourceId: keyId }));
    expect(await getIssued(secrets, apiKeyRef('acme'))).toBeUndefined();
  });

  test('issues and revokes a key that only sends and reads, and one of its own that no restart leaves valid', async () => {
    await secrets.delete(apiKeyRef('acme'));
    const statusOf = async (ref: string, path: string): Promise<number> =>
      (await api.get(path, (await getIssued(secrets, ref))?.secret)).statusCode;
    const third = { tenantId: 'acme', attemptId: 'run-3' };
    const { keyId } = await inActivity(() => activities.issueApiKey(third));
    expect((await getIssued(secrets, apiKeyRef('acme')))?.id).toBe(keyId);
    expect([await statusOf(apiKeyRef('acme'), '/emails'), await statusOf(apiKeyRef('acme'), '/domains')]).toEqual([
      200, 403,
    ]);
    expect(await statusOf(ownKeyRef('acme'), '/domains')).toBe(200);
    // The other activities use the key that can.
    await registerDomain(third);

    const own = await getIssued(secrets, ownKeyRef('acme'));
    await inActivity(() => activities.issueApiKey({ tenantId: 'acme', attemptId: 'run-4' }));
    for (const id of [own?.id ?? '', keyId ?? ''])
      await expect(provider.revokeApiKey(id)).rejects.toMatchObject({ meaning: 'gone' });

    // Its answer was lost.
    await inActivity(() => activities.revokeApiKey({ tenantId: 'acme', attemptId: 'run-4', resourceId: null }));
    expect(secrets.values.size).toBe(0);
    const left = (await api.get('/api-keys', token)).json<{ data: { id: string }[] }>().data;
    expect(left).toHaveLength(1);
  });

  test('replaces the key of the domain checks when another onboarding issues the tenant its key', async () => {
    const ref = ownKeyRef('acme');
    const { id, token: secret = '' } = await provider.createApiKey(
      { account: 'acme', name: ref },
      { idempotencyKey: 'watch' },
    );
    const kept = await getIssued(secrets, apiKeyRef('acme'));
    await putIssued(secrets, ref, { id, secret });
    const unknown = { times: 0, deleted: [kept?.id] };
    await afterEarlier(unknown, () => activities.issueApiKey({ tenantId: 'acme', attemptId: 'run-3' }));
    expect((await getIssued(secrets, ref))?.id).not.toBe(id);
    await expect(provider.revokeApiKey(id)).rejects.toMatchObject({ meaning: 'gone' });

    // Revoked by an attempt that was lost before it forgot the key.
    await putIssued(secrets, ref, { id, secret });
    await inActivity(() => activities.issueApiKey({ tenantId: 'acme', attemptId: 'run-4' }));
    expect((await getIssued(secrets, ref))?.id).not.toBe(id);
  });

  test('deletes a webhook with its own secret, not with the secret of an earlier onboarding', async () => {
    const ref = signingSecretRef('acme');
    const { webhookId } = await inActivity(() => activities.registerWebhook(step));
    expect(await deleteWebhook(webhookId)).toEqual({ resourceId: webhookId });
    expect(await getIssued(secrets, ref)).toBeUndefined();
    const kept = { id: 'whk_kept', secret: 'whsec_kept' };
    await putIssued(secrets, ref, kept);
    const gone = { times: 0, deleted: [webhookId] };
    await afterEarlier(gone, () => activities.deleteWebhook({ ...step, resourceId: null }));
    expect(await getIssued(secrets, ref)).toEqual(kept);
  });

  test('has nothing to undo for a sender refused because its domain is not verified', async () => {
    await registerDomain(step);
    expect(await deleteSender(null)).toEqual({ resourceId: null });
  });
});
