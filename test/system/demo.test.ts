import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Address, SavedSettings } from '../../src/dev/data-folder.ts';
import { openStore } from '../../src/email-service/store/open-store.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { getIssued } from '../../src/store/issued-secret.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createSqlSecretStore } from '../../src/store/secret-store.ts';
import { apiKeyRef, ownKeyRef, signingSecretRef } from '../../src/onboarding/onboarding-ids.ts';
import { addressOf, everyHistory, type RunningSendoff, sendoff, startSendoff } from './running-sendoff.ts';
import { tenantOptions } from './dev-deployment.ts';
import { createApiClient } from '../../src/cli/api-client.ts';
import { onboardingExitCodes } from '../../src/cli/exit-codes.ts';
import { findApi } from '../../src/cli/find-api.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

/** demo.long.test.ts kills one, and starts it again; dev.long.test.ts starts the same with `sendoff dev`. */
describe('the demo with --keep', () => {
  const data = folderOfFile();
  let demo: RunningSendoff;
  let histories: Map<string, string>;
  let setupPage: string;
  const tenant = (id: string): string[] => tenantOptions(data, id);

  beforeAll(async () => {
    demo = await startSendoff('demo', '--json', '--keep', '--data', data);
    await demo.printed(/Still running/);
    histories = await everyHistory(addressOf(data));
    setupPage = await openSetupPage(addressOf(data));
  }, 240_000);

  afterAll(async () => {
    demo.child.kill('SIGINT');
    await demo.ended;
  });

  test('ends with one JSON object: one message, judged pass by the receiver', () => {
    const lines = demo.stdout().trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    const result = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(result).toEqual({
      outcome: 'onboarded',
      exit: null,
      message: null,
      details: null,
      undo: [],
      heldAtProvider: {
        issueApiKey: [expect.stringMatching(/^key_/)],
        ownKey: [expect.stringMatching(/^key_/)],
        registerWebhook: [expect.stringMatching(/^whk_/)],
        registerDomain: [expect.stringMatching(/^dom_/)],
        createSender: [expect.stringMatching(/^snd_/)],
      },
      tenantId: 'acme',
      workflowId: 'onboarding/acme',
      runId: expect.any(String) as string,
      domain: 'acme.test',
      domainId: expect.stringMatching(/^dom_/) as string,
      senderId: expect.stringMatching(/^snd_/) as string,
      emailId: expect.stringMatching(/^eml_/) as string,
      historyEvents: expect.any(Number) as number,
      received: [
        {
          messageId: expect.stringMatching(/^<eml_.*@acme\.test>$/) as string,
          to: 'ada@inbox.test',
          dkim: 'pass',
          spf: 'pass',
          dmarc: 'pass',
        },
      ],
      uiUrl: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:\d+\/namespaces\/sendoff\/workflows\/onboarding%2Facme\//,
      ) as string,
    });
    expect(result['historyEvents']).toBeLessThanOrEqual(60);
  });

  test('shows the setup page, started in another folder than that of the package', () => {
    expect(setupPage).toMatch(/^200 text\/html; charset=utf-8 <!doctype html>/);
  });

  test('gives the first Workflow Task to the Worker of the process that starts the onboarding', () => {
    expect(histories.get('onboarding/acme')).toMatch(/"eagerExecutionAccepted":\s*true/);
  });

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

  test('ends at Ctrl-C with 0', async () => {
    demo.child.kill('SIGINT');
    expect(await demo.ended).toBe(0);
  });

  test('leaves none of its secrets in an Event History, a log or a database file', async () => {
    const secrets = await secretsOf(data);
    expect([...histories.keys()].map((id) => id.split('/')[0]).sort()).toEqual(
      expect.arrayContaining(['email-service', 'onboarding', 'verify-domain']),
    );
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(log|db|db-wal)$/.test(name),
    );
    expect(files).toContain('sendoff.log');
    const places = [...histories, ...files.map((name) => [name, readFileSync(join(data, name), 'latin1')] as const)];
    const found = places.flatMap(([place, text]) =>
      Object.entries(secrets).flatMap(([name, secret]) => (holds(text, secret) ? [`${name} in ${place}`] : [])),
    );
    expect(found).toEqual([]);
    // What is in a history is found by the same means.
    expect(holds(histories.get('onboarding/acme') ?? '', 'Welcome aboard')).toBe(true);
  });
});

test('without a deployment, commands print how to start one', async () => {
  const { code, stderr } = await sendoff('status', 'acme', '--data', '/nonexistent');
  expect(code).toBe(1);
  expect(stderr).toContain('No deployment found in /nonexistent. Start one with: sendoff dev --data /nonexistent\n');
});

/** Status, type and document of the page that a new link opens. */
async function openSetupPage({ url, apiToken }: Address): Promise<string> {
  const headers = { authorization: `Bearer ${apiToken}` };
  const created = await fetch(`${url}/onboardings/acme/setup-link`, { method: 'POST', headers });
  const page = await fetch(((await created.json()) as { url: string }).url);
  return `${page.status} ${page.headers.get('content-type') ?? ''} ${await page.text()}`;
}

/** Payloads are base64 in a history as JSON, so the secret is looked for in each of its three base64 alignments too. */
function holds(text: string, secret: string): boolean {
  const encoded = [0, 1, 2].map((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64');
    // Without the first and last group, which depend on what stands around it.
    return padded.slice(4, -4);
  });
  return [secret, ...encoded].some((form) => text.includes(form));
}

/** Every secret of the run: made at its start, issued by the email service, kept by the orchestrator. */
async function secretsOf(data: string): Promise<Record<string, string>> {
  const kept = JSON.parse(readFileSync(join(data, 'kept.json'), 'utf8')) as SavedSettings;
  const sealerOf = (key: string) => createSealer([Buffer.from(key, 'base64')]);
  const database = await openDatabase(`file:${join(data, 'sendoff.db')}`);
  const store = createSqlSecretStore(database, sealerOf(kept.secretKey));
  const emailService = await openStore(`file:${join(data, 'email-service.db')}`);
  try {
    const domain = await emailService.selectFrom('domains').selectAll().executeTakeFirstOrThrow();
    const privateKey = sealerOf(kept.encryptionKey).open(domain.sealed_dkim_private_key, `domain/${domain.id}/dkim`);
    const apiKey = (await getIssued(store, apiKeyRef('acme')))?.secret;
    const signingSecret = (await getIssued(store, signingSecretRef('acme')))?.secret;
    const ownKey = (await getIssued(store, ownKeyRef('acme')))?.secret;
    if (apiKey === undefined || ownKey === undefined || signingSecret === undefined)
      throw new Error('the run kept no secrets');
    expect(apiKey).toMatch(/^so_live_/);
    expect(signingSecret).toMatch(/^whsec_/);
    expect(privateKey).toContain('PRIVATE KEY');
    return {
      apiKey,
      ownKey,
      signingSecret,
      // One line of the key is enough, and is one that no line break splits.
      privateKey: privateKey.split('\n')[3] ?? '',
      apiToken: kept.apiToken,
      operatorToken: kept.operatorToken,
      secretKey: kept.secretKey,
      encryptionKey: kept.encryptionKey,
    };
  } finally {
    await database.destroy();
    await emailService.destroy();
  }
}
