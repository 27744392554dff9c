import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createApiClient } from '../../src/cli/api-client.ts';
import { onboardingExitCodes } from '../../src/cli/exit-codes.ts';
import { findApi } from '../../src/cli/find-api.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import type { SavedSettings } from '../../src/dev/data-folder.ts';
import { localDeployment } from './dev-deployment.ts';
import { addressOf, newDataFolder, sendoff, startSendoff, startSendoffWith } from './running-sendoff.ts';

describe('a local deployment', () => {
  const { data, tenant, dev, backend } = localDeployment();

  test('onboards a tenant once its records are published', async () => {
    const onboarding = await startSendoff('onboard', '--json', ...tenant('globex'));
    await onboarding.printed(/_domainkey/);
    const status = await sendoff('status', 'globex', '--data', data);
    expect(status.stdout).toContain('globex (globex.test): running, stage awaitingDomain');
    expect((await sendoff('publish', 'globex', '--data', data)).stdout).toContain('Published:');
    expect(await onboarding.ended, onboarding.stderr()).toBe(0);
    const view = JSON.parse(onboarding.stdout()) as OnboardingView;
    expect(view).toMatchObject({
      tenantId: 'globex',
      outcome: 'onboarded',
      result: { emailId: expect.stringMatching(/^eml_/) as string },
    });
  });

  test('notifies the backend of --notify, signed with the secret of the data folder', async () => {
    const received = () => backend().posts.find(({ body }) => body.includes('"globex"') && body.includes('onboarded'));
    await expect.poll(received).toMatchObject({ path: '/hooks' });
    const { body = '', headers = {} } = received() ?? {};
    const { notificationSecret = '' } = addressOf(data);
    const verified = new Webhook(notificationSecret).verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'onboarding.onboarded', data: { tenantId: 'globex' } });
    expect(dev().stdout()).toMatch(/Notifications {2}posted, .*sendoff notifications list/);
  });

  test('creates one email for fifty simultaneous POST /emails with one key: the same ID in each answer, one message at the receiver', async () => {
    const { emailServiceUrl } = addressOf(data);
    const { operatorToken } = JSON.parse(readFileSync(join(data, 'kept.json'), 'utf8')) as SavedSettings;
    const call = async (path: string, token: string, body?: object, idempotencyKey?: string) => {
      const answer = await fetch(emailServiceUrl + path, {
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    };
    const { token = '' } = (await call('/api-keys', operatorToken, { account: 'globex' })).body;
    const view = JSON.parse((await sendoff('status', 'globex', '--json', '--data', data)).stdout) as OnboardingView;
    const email = {
      sender_id: view.result?.senderId,
      recipient: 'fifty@inbox.test',
      subject: 'Once',
      body: 'Fifty requests, one message.',
    };

    const answers = await Promise.all(Array.from({ length: 50 }, () => call('/emails', token, email, 'fifty')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const ids = new Set(answers.map(({ body }) => body['id']));
    expect(ids.size).toBe(1);
    expect((await call('/emails', token, { ...email, subject: 'Twice' }, 'fifty')).status).toBe(422);
    expect((await call('/emails', token, email)).status).toBe(400);

    const [id = ''] = ids;
    const statusOf = async (): Promise<string> => (await call(`/emails/${id}`, token)).body['status'] ?? '';
    await expect.poll(statusOf, { timeout: 30_000 }).toBe('delivered');
    const messages = readdirSync(join(data, 'mail')).map((name) => readFileSync(join(data, 'mail', name), 'utf8'));
    expect(messages.filter((text) => text.includes('fifty@inbox.test'))).toHaveLength(1);
  });

  test('joins the onboarding of the same tenant, and refuses another input with the differing fields', async () => {
    const same = await sendoff('onboard', '--json', '--no-follow', ...tenant('globex'));
    expect(same.code).toBe(0);
    expect(same.stderr).toContain('Already exists: onboarding/globex');
    const other = await sendoff('onboard', ...tenant('globex'), '--subject', 'Other');
    expect(other.code).toBe(1);
    expect(other.stderr).toContain(
      'onboarding_differs: onboarding/globex was started with another input; it differs in firstEmail.subject',
    );
    // It has ended: nothing is left to cancel.
    expect((await sendoff('cancel', 'globex', '--data', data)).code).toBe(1);
  });

  test('starts one onboarding for fifty simultaneous starts of one tenant', async () => {
    const api = createApiClient(findApi(data, {}));
    const input = {
      tenantId: 'initech',
      domain: 'initech.test',
      fromAddress: 'hello@initech.test',
      firstEmail: { recipient: 'ada@inbox.test', subject: 'Hello', body: 'It works.' },
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.put(input)));
    expect(answers.filter(({ started }) => started)).toHaveLength(1);
    expect(new Set(answers.map(({ view }) => view.runId)).size).toBe(1);
  });

  test('reports an invalid command line with the name of the flag', async () => {
    const wrong = await sendoff(
      'onboard',
      ...tenant('hooli'),
      '--from',
      'hello@other.test',
      '--verification-window',
      '3',
    );
    expect(wrong.code).toBe(onboardingExitCodes.InvalidInput);
    expect(wrong.stderr).toContain('--from must be an address on "hooli.test"; found "hello@other.test"');
    expect(wrong.stderr).toContain('--verification-window must be a duration');
    expect((await sendoff('status', 'nobody', '--data', data)).stderr).toContain(
      'not_found: Tenant "nobody" has no onboarding.',
    );
    expect((await sendoff('frobnicate')).code).toBe(2);
  });
});

test('without a deployment, commands print how to start one', async () => {
  const { code, stderr } = await sendoff('status', 'acme', '--data', '/nonexistent');
  expect(code).toBe(1);
  expect(stderr).toContain('No deployment found in /nonexistent. Start one with: sendoff dev --data /nonexistent\n');
});

test('a log level that does not exist is refused with those that do', async () => {
  const data = newDataFolder();
  const dev = await startSendoffWith({ LOG_LEVEL: 'verbose' }, 'dev', '--data', data);
  expect(await dev.ended).toBe(1);
  expect(dev.stderr()).toMatch(/LOG_LEVEL must be one of trace, debug, info, warn, error, silent; found "verbose"/);
  rmSync(data, { recursive: true, force: true });
});
