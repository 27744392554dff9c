import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Address, SavedSettings } from '../../src/dev/data-folder.ts';
import { openStore } from '../../src/email-service/store/open-store.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { getIssued } from '../../src/store/issued-secret.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createSqlSecretStore } from '../../src/store/sql-secret-store.ts';
import { apiKeyRef, ownKeyRef, signingSecretRef } from '../../src/onboarding/onboarding-ids.ts';
import {
  addressOf,
  everyHistory,
  newDataFolder,
  type RunningSendoff,
  startSendoff,
  startSendoffFromSources,
} from './running-sendoff.ts';

/** One story on one data folder: each start continues where the one before was killed or has ended. */
describe('the demo with a data folder', () => {
  const data = newDataFolder();
  let waiting: RunningSendoff;
  let runId: string;
  let demo: RunningSendoff;
  let histories: Map<string, string>;
  let setupPage: string;

  beforeAll(async () => {
    const killed = await startSendoff('demo', '--data', data);
    await killed.printed(/Starting the email service/);
    killed.child.kill('SIGKILL');
    await killed.ended;

    waiting = await startSendoff('demo', '--data', data);
    await waiting.printed(/Wait until the domain is verified[\s\S]*_domainkey[\s\S]*Attempt 1/);
    runId = await runIdInDomainWait(data);
    waiting.child.kill('SIGKILL');
    await waiting.ended;

    demo = await startSendoffFromSources('demo', '--json', '--keep', '--data', data);
    await demo.printed(/Still running/);
    histories = await everyHistory(addressOf(data));
    setupPage = await openSetupPage(addressOf(data));
    demo.child.kill('SIGINT');
    expect(await demo.ended).toBe(0);
  }, 240_000);

  afterAll(() => {
    rmSync(data, { recursive: true, force: true });
  });

  test('reaches the domain wait after a SIGKILL during its first start, and shows what to publish and what is missing', () => {
    const shown = waiting.stderr();
    for (const part of [
      'Create an API key',
      'TXT  bounce.acme.test (host bounce in zone acme.test)',
      'Domain is pending.',
    ]) {
      expect(shown).toContain(part);
    }
  });

  test('continues the same onboarding in a clone after a SIGKILL in the domain wait, and ends with one JSON object: one message, judged pass by the receiver', () => {
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
      runId,
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

  test('shows the setup page, started in another folder than that of the clone', () => {
    expect(setupPage).toMatch(/^200 text\/html; charset=utf-8 <!doctype html>/);
  });

  test('gives the first Workflow Task to the Worker of the process that starts the onboarding', () => {
    expect(histories.get('onboarding/acme')).toMatch(/"eagerExecutionAccepted":\s*true/);
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

  test('shows its end when it is run again with the same options, without a link to what has stopped', async () => {
    const again = await startSendoff('demo', '--data', data);
    expect(await again.ended, again.stderr()).toBe(0);
    expect(again.stdout()).not.toContain('http://');
    expect(again.stdout()).toContain('With --keep it runs until Ctrl-C');
  });
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

async function runIdInDomainWait(data: string): Promise<string> {
  const { url, apiToken } = addressOf(data);
  const answer = await fetch(`${url}/onboardings/acme`, { headers: { authorization: `Bearer ${apiToken}` } });
  const view = (await answer.json()) as { runId: string; onboarding: { stage: string } };
  expect(view.onboarding.stage).toBe('awaitingDomain');
  return view.runId;
}
