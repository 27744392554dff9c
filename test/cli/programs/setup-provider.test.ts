import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { setUpProvider, type SetupProviderOptions } from '../../../src/cli/programs/setup-provider.ts';
import { FAKE_KEY, type FakeResend, startFakeResend } from '../../../src/conformance/fakes/fake-resend.ts';
import {
  ACCESS_KEY_ID,
  type FakeSes,
  SECRET_ACCESS_KEY,
  startFakeSes,
} from '../../../src/conformance/fakes/fake-ses.ts';
import { REGION, snsMessage, TOPIC_ARN } from '../../../src/conformance/fakes/fake-sns.ts';
import { createSesWebhookReader } from '../../../src/email-provider/adapters/ses/read-webhook.ts';
import { signingSecrets } from '../../../src/lib/webhooks/signing-secrets.ts';
import { folderOfFile } from '../../support/temporary-folder.ts';

const folder = folderOfFile();

const base = 'https://sendoff.example';
let environment: Record<string, string> = {};
async function run(options: SetupProviderOptions): Promise<string> {
  let out = '';
  expect(await setUpProvider(options, { environment, write: (text) => (out += text) })).toBe(0);
  return out;
}

describe('the webhook of a Resend team', () => {
  const url = `${base}/webhooks/provider/resend`;
  const older = 'https://old.example/webhooks/provider/resend';
  let resend: FakeResend;
  const endpoints = () => resend.webhooks.map(({ endpoint }) => endpoint);
  const setUp = (options: Partial<SetupProviderOptions> = {}) => run({ provider: 'resend', ...options });
  beforeEach(async () => {
    resend = await startFakeResend();
    environment = { RESEND_API_KEY: FAKE_KEY, RESEND_URL: resend.baseUrl, SENDOFF_PUBLIC_URL: base };
  });
  afterEach(() => resend.close());
  const has = (endpoint: string, events = ['email.sent']) =>
    resend.webhooks.push({ id: endpoint.slice(8, 11), endpoint, events, status: 'enabled' });

  test('is shown, then created once, with its secret', async () => {
    const before = resend.requests.length;
    expect(await setUp()).toBe(`Would create the webhook to ${url}\nNothing was changed. Repeat with --apply\n`);
    expect(resend.requests.slice(before).map(({ request }) => request)).toEqual(['GET /webhooks']);
    const out = await setUp({ apply: true });
    const secret = /RESEND_WEBHOOK_SECRET=(\S+)/.exec(out)?.[1] ?? '';
    expect(signingSecrets(secret)).toHaveLength(1);
    expect(resend.webhooks).toMatchObject([{ endpoint: url, status: 'enabled' }]);
    expect(resend.webhooks[0]?.events).toContain('email.bounced');
    expect(await setUp({ apply: true })).toMatch(
      /^Nothing to do.*\nRESEND_WEBHOOK_SECRET is not set: the provider shows/,
    );
    environment['RESEND_WEBHOOK_SECRET'] = secret;
    expect(await setUp({ apply: true })).toBe(`Nothing to do for the webhook to ${url}\n`);
    expect(endpoints()).toEqual([url]);
  });

  test('writes its secret to a new file alone', async () => {
    const secretFile = join(folder, 'secret');
    const out = await setUp({ apply: true, secretFile, json: true });
    const secret = readFileSync(secretFile, 'utf8').trim();
    expect(signingSecrets(secret)).toHaveLength(1);
    expect(statSync(secretFile).mode & 0o777).toBe(0o600);
    expect(out).not.toContain(secret);
    expect(JSON.parse(out)).toMatchObject({ url, applied: true, steps: [{ action: 'create', url }], secretFile });
    resend.webhooks.length = 0;
    await expect(setUp({ apply: true, secretFile })).rejects.toThrow(/exists already/);
    expect(endpoints()).toEqual([]);
  });

  test('is created with its secret shown, also if the one that it replaces cannot be deleted', async () => {
    has(older);
    resend.rules.before = (request) => (request.startsWith('DELETE ') ? { status: 500, body: {} } : undefined);
    let out = '';
    const replacing = setUpProvider(
      { provider: 'resend', apply: true, replace: older },
      { environment, write: (text) => (out += text) },
    );
    await expect(replacing).rejects.toThrow(/DELETE .webhooks/);
    expect(out).toMatch(/^Created the webhook to .*\nSet its signing secret .* RESEND_WEBHOOK_SECRET=\S+\n$/);
    expect(out).not.toContain('Deleted');
    expect(endpoints()).toEqual([older, url]);
  });

  test('whose answer was lost is not created a second time', async () => {
    resend.rules.isLost = (request) => request === 'POST /webhooks';
    const secretFile = join(folder, 'lost');
    await expect(setUp({ apply: true, secretFile })).rejects.toThrow(/POST .webhooks/);
    expect(() => statSync(secretFile)).toThrow();
    expect(await setUp({ apply: true })).toMatch(/Nothing to do/);
    expect(endpoints()).toEqual([url]);
  });

  test('of an earlier address is named, and deleted only if it is named', async () => {
    for (const other of ['https://ops.example/hook', 'https://crm.example/hook', older]) has(other);
    const out = await setUp({ apply: true });
    expect(out).toContain(`${older} is the webhook of another installation, or of an earlier SENDOFF_PUBLIC_URL`);
    expect(out).not.toContain('ops.example');
    expect(endpoints()).toContain(older);
    await expect(setUp({ apply: true, replace: 'https://ops.example/hook' })).rejects.toThrow(/No webhook posts to/);
    expect(await setUp({ replace: older })).toContain(`Would delete the webhook to ${older}`);
    expect(await setUp({ apply: true, replace: older })).toContain(`Deleted the webhook to ${older}`);
    expect(endpoints()).toEqual(['https://ops.example/hook', 'https://crm.example/hook', url]);
  });

  test('is removed, and no other', async () => {
    has(older);
    has(url);
    expect(await setUp({ remove: true })).toContain(`Would delete the webhook to ${url}`);
    await setUp({ remove: true, apply: true });
    expect(endpoints()).toEqual([older]);
    expect(await setUp({ remove: true, apply: true })).toContain('Nothing to do');
  });

  test('that lacks events, is disabled, or exists twice is said to', async () => {
    has(url);
    has(url);
    resend.webhooks.forEach((webhook) => (webhook.status = 'disabled'));
    const out = await setUp();
    expect(out).toMatch(
      /its status is disabled: enable it in Resend; it lacks the events email.delivered,.* domain.updated/,
    );
    expect(out).toContain(`2 webhooks post to ${url}: delete all but one`);
  });

  test('needs an address and a credential', async () => {
    delete environment['SENDOFF_PUBLIC_URL'];
    await expect(setUp()).rejects.toThrow(/SENDOFF_PUBLIC_URL is not set/);
    environment = { SENDOFF_PUBLIC_URL: base };
    await expect(setUp()).rejects.toThrow('Set RESEND_API_KEY for your account at resend');
  });
});

describe('the subscription of an SNS topic', () => {
  const url = `${base}/webhooks/provider/ses`;
  let ses: FakeSes;
  const setUp = (options: Partial<SetupProviderOptions> = {}) => run({ provider: 'ses', ...options });
  beforeEach(async () => {
    ses = await startFakeSes();
    environment = {
      ...{ SES_REGION: REGION, SES_TOPIC_ARN: TOPIC_ARN, SES_URL: ses.baseUrl, SES_ACCESS_KEY_ID: ACCESS_KEY_ID },
      ...{ SES_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY, SENDOFF_PUBLIC_URL: base, SES_REQUESTS_PER_SECOND: '100' },
    };
  });
  afterEach(() => ses.close());

  test('is shown, then created, and is there once a server has confirmed it', async () => {
    expect(await setUp()).toContain(`Would create the webhook to ${url}`);
    expect(ses.subscriptions).toEqual([]);
    await setUp({ apply: true });
    expect(await setUp({ apply: true })).toContain(`${url} is subscribed, and no server has confirmed it. A server`);
    expect(ses.subscriptions).toHaveLength(1);
    expect(await setUp({ apply: true, remove: true })).toContain('Nothing to do');
    const read = createSesWebhookReader({
      ...{ region: REGION, topicArn: TOPIC_ARN, baseUrl: ses.baseUrl },
      warn: () => undefined,
    });
    const asked = { Type: 'SubscriptionConfirmation', Token: ses.subscriptions[0]?.token ?? '', SubscribeURL: 'x' };
    await read({ headers: {}, body: Buffer.from(JSON.stringify(snsMessage(asked))) });
    expect(await setUp({ apply: true })).toBe(`Nothing to do for the webhook to ${url}\n`);
    ses.subscriptions.push({
      arn: `${TOPIC_ARN}:old`,
      endpoint: 'https://old.example/webhooks/provider/ses',
      token: '',
    });
    expect(await setUp()).toContain('https://old.example/webhooks/provider/ses is the webhook of another installation');
    await setUp({ apply: true, remove: true });
    expect(ses.subscriptions.map(({ arn }) => arn)).toEqual([`${TOPIC_ARN}:old`]);
  });

  test('of a key without the permission is refused with its name', async () => {
    ses.rules.before = () => ({
      status: 403,
      body: '<ErrorResponse><Error><Code>AuthorizationError</Code><Message>no</Message></Error></ErrorResponse>',
    });
    await expect(setUp()).rejects.toThrow(/SNS ListSubscriptionsByTopic: 403 AuthorizationError/);
  });
});

test('Postmark needs nothing', async () => {
  environment = { POSTMARK_ACCOUNT_TOKEN: 'token', SENDOFF_PUBLIC_URL: base };
  expect(await run({ provider: 'postmark' })).toMatch(/^postmark needs nothing/);
});
