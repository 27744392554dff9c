import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { toZoneRecords } from '../../src/dev/world/zone-record.ts';
import { tellFirstStart } from './runbook-first-start.ts';
import {
  checksOf,
  commandsOf,
  dns,
  folder,
  follow,
  newKey,
  run,
  settings,
  start,
  stateOf,
  statusOf,
  stop,
  temporal,
  valuesOf,
  waitsForDomain,
  writeSettings,
  useRunbook,
} from './runbook-world.ts';

const badRelease = fileURLToPath(new URL('../support/releases/bad-release.ts', import.meta.url));

useRunbook();
// Each test continues where the one before has ended.
tellFirstStart();

test('the wrong domain: undoes the onboarding and starts it with the right one', async () => {
  const commands = commandsOf('The wrong domain');
  await follow([commands[1] ?? ''], { 'mail.acme.com': 'mail.amce.com' });
  await waitsForDomain();
  const differing = await run(commands[1] ?? '');
  expect(differing.output).toMatch(/onboarding_differs: .*domain/);
  await follow(commands);
  await waitsForDomain();
  expect((await statusOf()).onboarding.records.every(({ name }) => name.endsWith('mail.acme.com'))).toBe(true);
});

test('stuck: status and dns check show what is missing, and check now does not wait for the next check', async () => {
  const [status = '', dnsCheck = '', checkNow = '', list = ''] = commandsOf('An onboarding is stuck');
  const shown = await run(status);
  expect(shown.code).toBe(0);
  expect(shown.output).toMatch(/^acme.*: running, stage awaitingDomain/);
  expect(shown.output).toContain('_domainkey.mail.acme.com');
  const checked = await run(dnsCheck);
  expect(checked.code).toBe(1);
  expect(checked.output).toContain('mail.acme.com');
  const now = await run(checkNow);
  expect(now.code, now.output).toBe(20);
  expect(now.output).toContain('acme: not verified yet');
  await follow([list]);
});

test('more time: the deadline is a day later', async () => {
  const deadline = async (): Promise<number> => Date.parse((await statusOf()).onboarding.verificationDeadline ?? '');
  const before = await deadline();
  await follow(commandsOf('The tenant needs more time'));
  await expect.poll(async () => (await deadline()) - before).toBe(24 * 3_600_000);
});

/** The policy that is recommended is among them once the first check has found that none applies. */
const sameValuesAs = (before: Awaited<ReturnType<typeof statusOf>>): Promise<void> =>
  expect.poll(async () => valuesOf(await statusOf()), { timeout: 60_000 }).toEqual(valuesOf(before));

/** Gives the Worker a Workflow Task of the onboarding. */
const WAKE_UP = `temporal workflow signal --workflow-id onboarding/acme --name providerReported --input '{"eventId":"e","type":"domain.verified"}'`;
test('a bad release: nothing fails, and the earlier version continues without creating anything twice', async () => {
  const before = await statusOf();
  const [listStuck = '', describe = '', startWorkerAgain = '', reset = ''] = commandsOf('A bad release');
  expect(await follow([listStuck])).toContain('No onboarding meets these conditions.');
  await stop('worker');
  const { nativeConnection: connection } = temporal.environment;
  const bad = await Worker.create({
    connection,
    namespace: 'sendoff',
    taskQueue: 'onboarding',
    workflowsPath: badRelease,
  });
  const attempts = async (): Promise<number> => {
    const { pendingWorkflowTask } = JSON.parse(await follow([`${describe} --output json`])) as {
      pendingWorkflowTask?: { attempt?: number };
    };
    return pendingWorkflowTask?.attempt ?? 0;
  };
  await bad.runUntil(async () => {
    await follow([WAKE_UP]);
    await expect.poll(attempts, { timeout: 30_000 }).toBeGreaterThan(1);
  });
  expect((await statusOf()).outcome).toBe('running');
  await follow([startWorkerAgain]);
  await expect.poll(attempts, { timeout: 30_000 }).toBe(0);
  await follow([reset]);
  await expect.poll(async () => (await statusOf()).runId, { timeout: 30_000 }).not.toBe(before.runId);
  await waitsForDomain();
  expect((await statusOf()).onboarding.domainId).toBe(before.onboarding.domainId);
  await sameValuesAs(before);
});

test('the provider is down: doctor reports it, and nothing is lost when it is back', async () => {
  await stop('email-service');
  expect(await stateOf('provider')).toBe('problem');
  await follow(commandsOf('The provider is down'));
  expect((await statusOf()).outcome).toBe('running');
});

const lateTenant = {
  '--tenant acme': '--tenant late',
  'mail.acme.com': 'late.acme.com',
  'onboarding/acme': 'onboarding/late',
};
test('restore: earlier onboardings continue, and later ones start again', async () => {
  await follow(commandsOf('Back up'));
  const [again = ''] = commandsOf('The wrong domain').slice(1);
  await follow([again], lateTenant);
  await waitsForDomain('late');
  await stop('server', 'worker', 'email-service');
  for (const name of ['sendoff.db', 'email-service.db']) writeFileSync(join(folder, 'data', name), 'a broken disk');
  expect((await checksOf()).get('database')).toMatchObject({ state: 'problem' });

  // The keys are rotated in the same restart.
  writeSettings({ SENDOFF_SECRET_KEY: `${newKey()},${settings['SENDOFF_SECRET_KEY'] ?? ''}` });
  const commands = commandsOf('Restore from a backup');
  const first = commands.findIndex((command) => command === 'sendoff reconcile');
  await follow(commands.slice(0, first));
  expect((await checksOf()).get('keys')?.found).toMatch(/key 1 decrypts 0, key 2 decrypts [1-9]/);
  expect((await statusOf()).onboarding.stage).toBe('awaitingDomain');
  const { code, output } = await run(commands[first] ?? '');
  expect(output).toMatch(/^late: missing_(?:key|record): /m);
  expect(code).toBe(1);
  expect(await follow(commands.slice(first + 1))).toMatch(/^0 problems/m);
  await waitsForDomain('late');
});

test('a lost key: the onboarding starts again with a new API key and the same DNS values', async () => {
  const before = await statusOf();
  await stop('server', 'worker');
  writeSettings({ SENDOFF_SECRET_KEY: newKey() });
  await expect(start('server')).rejects.toThrow('SENDOFF_SECRET_KEY decrypts none of the secrets');
  expect((await checksOf()).get('keys')).toMatchObject({
    state: 'problem',
    found: expect.stringContaining('decrypts none of the') as string,
  });
  const commands = commandsOf('A key is lost');
  await follow(commands);
  // As the page says: each onboarding under way.
  await follow(commands.slice(-2), lateTenant);
  await waitsForDomain();
  await waitsForDomain('late');
  const after = await statusOf();
  expect(after.runId).not.toBe(before.runId);
  expect(after.onboarding.keyId).not.toBe(before.onboarding.keyId);
  await sameValuesAs(before);
  expect(await stateOf('keys')).toBe('ok');
});

test('check all now: the corrected DNS is found at once', async () => {
  dns.publish(toZoneRecords((await statusOf()).onboarding.records));
  await follow(commandsOf('Check all onboardings now after an outage'));
  await expect.poll(async () => (await statusOf()).outcome, { timeout: 60_000 }).toBe('onboarded');
});

test('restart: a successful onboarding runs again with a new API key, and sends no second first email', async () => {
  const before = await statusOf();
  await follow(commandsOf('Restart an onboarding that has ended'));
  await expect.poll(async () => (await statusOf()).outcome, { timeout: 60_000 }).toBe('onboarded');
  const after = await statusOf();
  expect(after.runId).not.toBe(before.runId);
  expect(after.result?.emailId).toBe(before.result?.emailId);
  expect(after.onboarding.keyId).not.toBe(before.onboarding.keyId);
});

test('a leaked key: the provider refuses it, and the onboarding has another one', async () => {
  const headers = {
    authorization: `Bearer ${settings['SENDOFF_API_TOKEN'] ?? ''}`,
    'content-type': 'application/json',
  };
  const claim = await fetch(`${settings['SENDOFF_URL'] ?? ''}/onboardings/acme/api-key/claim`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ by: 'backend' }),
  });
  const { token = '', keyId = '' } = (await claim.json()) as { token?: string; keyId?: string };
  const providerUrl = settings['EMAIL_PROVIDER_URL'] ?? '';
  const answerTo = async (key: string): Promise<number> =>
    (await fetch(`${providerUrl}/emails`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await answerTo(token)).toBe(200);
  const mint = await fetch(`${providerUrl}/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  expect([mint.status, await mint.text()]).toEqual([403, expect.stringContaining('needs the scope manage')]);

  const [status = '', revoke = '', restart = '', keys = '', ...others] = commandsOf("A tenant's API key leaked");
  expect(await follow([status])).toMatch(new RegExp(`API key +${keyId}, claimed`));
  const replaced = {
    'curl ': 'curl --silent ',
    'http://127.0.0.1:8025': providerUrl,
    key_1: keyId,
    $EMAIL_PROVIDER_OPERATOR_TOKEN: settings['EMAIL_PROVIDER_OPERATOR_TOKEN'] ?? '',
  };
  await follow([revoke, restart], replaced);
  await expect.poll(async () => (await statusOf()).outcome, { timeout: 60_000 }).toBe('onboarded');
  const { data } = JSON.parse(await follow([keys], replaced)) as {
    data: { id: string; name: string; revoked_at: string | null }[];
  };
  expect(data.find(({ id }) => id === keyId)?.revoked_at).toMatch(/Z$/);
  // Of those before the lost key and the restore, only the names are known.
  const { keyId: newKeyId } = (await statusOf()).apiKey;
  expect(data.find(({ id }) => id === newKeyId)).toMatchObject({ name: 'onboarding/acme/api-key', revoked_at: null });
  for (const list of others) expect(await follow([list], replaced)).toContain('"data":[{');
  expect(await answerTo(token)).toBe(401);
  expect((await statusOf()).apiKey).toMatchObject({ state: 'held', keyId: expect.not.stringMatching(keyId) as string });
});
