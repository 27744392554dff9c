import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { firstEmailActivities } from '../../../src/activities/onboarding/send-first-email.ts';
import type { AccountProvider, EmailProvider, ProviderEmail } from '../../../src/email-provider/email-provider.ts';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { apiKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { putIssued } from '../../../src/store/issued-secret.ts';
import { memorySecretStore, scriptedProvider } from '../../support/scripted-provider.ts';
import { validInput } from '../../support/valid-input.ts';
import { noOperatorAccounts } from '../../support/no-operator-accounts.ts';

type GetEmail = (...of: Parameters<AccountProvider['getEmail']>) => Promise<ProviderEmail>;

const logger = new DefaultLogger('ERROR');
const { firstEmail } = validInput();
const delivered = { status: 'delivered', deliveredAt: '2026-01-02T03:04:05Z' } as const;

describe('sending the first email', () => {
  const { provider } = scriptedProvider();
  const secrets = memorySecretStore();
  let senderId: string;
  let account: AccountProvider;
  let asked: string[];
  let environment: MockActivityEnvironment;

  afterEach(() => {
    vi.useRealTimers();
  });
  beforeEach(async () => {
    asked = [];
    const key = await provider.createApiKey({ account: 'acme', name: 'key' }, { idempotencyKey: 'key' });
    await putIssued(secrets, apiKeyRef('acme'), { id: key.id, secret: key.token ?? '' });
    account = provider.withKey(key.token ?? '');
    await account.createDomain({ name: 'acme.test' }, { idempotencyKey: 'domain' });
    const sender = await account.createSender({ fromAddress: 'hello@acme.test' }, { idempotencyKey: 'sender' });
    senderId = sender.id;
  });

  const send = (
    changes: { sendEmail?: () => Promise<ProviderEmail>; getEmail?: GetEmail },
    input: { cancelRequested?: boolean } = {},
  ) => {
    const noted: AccountProvider = {
      ...account,
      sendEmail(request, options) {
        asked.push(`POST, wait ${options.waitSeconds ?? 0} s`);
        return changes.sendEmail?.() ?? account.sendEmail(request, options);
      },
      getEmail(id, options) {
        asked.push('GET');
        return changes.getEmail?.(id, options) ?? account.getEmail(id, options);
      },
    };
    const notedProvider: EmailProvider = { ...provider, withKey: () => noted };
    const activities = firstEmailActivities({
      provider: notedProvider,
      operatorAccounts: noOperatorAccounts,
      secrets,
    });
    environment = new MockActivityEnvironment({}, { logger });
    const step = { tenantId: 'acme', attemptId: 'a', senderId, fromAddress: 'a@acme.test', firstEmail, ...input };
    return environment.run(() => activities.sendFirstEmail(step));
  };
  const answered = async (answer: Partial<ProviderEmail>): Promise<ProviderEmail> => ({
    ...{ id: 'eml_1', status: 'queued', deliveredAt: null, bounce: null, lastAttempt: null },
    ...answer,
  });

  test('asks the provider to wait for the first attempt, and returns the outcome of its answer', async () => {
    expect(await send({ sendEmail: () => answered(delivered) })).toEqual({ emailId: 'eml_1', outcome: delivered });
    expect(asked).toEqual(['POST, wait 2 s']);
  });

  test('asks once for the outcome if the answer has none', async () => {
    expect(await send({})).toEqual({ emailId: expect.stringMatching('eml_'), outcome: delivered });
    expect(asked).toEqual(['POST, wait 2 s', 'GET']);
  });

  test('returns no outcome while the email is queued', async () => {
    expect(await send({ sendEmail: () => answered({}), getEmail: () => answered({}) })).toEqual({ emailId: 'eml_1' });
  });

  test('succeeds if the provider does not answer the second question', async () => {
    const unreachable = () => Promise.reject(new ProviderUnreachable('GET /emails/eml_1', 'reset'));
    expect(await send({ sendEmail: () => answered({}), getEmail: unreachable })).toEqual({ emailId: 'eml_1' });
  });

  test('ends a second question after a second', async () => {
    const silent: GetEmail = (_id, options) =>
      new Promise((_, reject) => {
        options?.signal?.addEventListener('abort', () => {
          reject(new ProviderUnreachable('GET /emails/eml_1', 'aborted'));
        });
      });
    expect(await send({ sendEmail: () => answered({}), getEmail: silent })).toEqual({ emailId: 'eml_1' });
  });

  test('asks no second question after an answer that took as long as the provider may wait', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const sendEmail = () => {
      vi.advanceTimersByTime(2_000);
      return answered({});
    };
    expect(await send({ sendEmail })).toEqual({ emailId: 'eml_1' });
    expect(asked).toEqual(['POST, wait 2 s']);
  });

  test('fails if its attempt is over during the second question', async () => {
    const overMeanwhile: GetEmail = () => {
      environment.cancel();
      return Promise.reject(new ProviderUnreachable('GET /emails/eml_1', 'aborted'));
    };
    const sent = send({ sendEmail: () => answered({}), getEmail: overMeanwhile });
    await expect(sent).rejects.toBeInstanceOf(ProviderUnreachable);
  });

  test('returns no outcome if the onboarding is to stop, which then ends in its wait', async () => {
    const email = await send({ sendEmail: () => answered(delivered) }, { cancelRequested: true });
    expect(email).toEqual({ emailId: 'eml_1' });
    expect(asked).toEqual(['POST, wait 2 s']);
  });
});
