// Runs every command block of the runbook in docs/operating.md, in one story on a real deployment: all programs, a Temporal server,
// DNS and mail. The page promises that its commands work, so each runs in a shell with the settings of a .env file.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import type { CheckResult } from '../../src/cli/doctor/check.ts';
import { doctor } from '../../src/cli/doctor/doctor.ts';
import { readConfig } from '../../src/config.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { openTogether } from '../../src/lib/closers.ts';
import { readEmailServiceConfig } from '../../src/email-service/config.ts';
import { startEmailService } from '../../src/email-service/main.ts';
import { readTemporalConfig } from '../../src/lib/temporal/temporal-config.ts';
import { startServer } from '../../src/server.ts';
import { startWorker } from '../../src/worker.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { startDnsServer, type DnsServer } from '../../src/dev/world/dns-server.ts';
import { startMailReceiver } from '../../src/dev/world/mail-receiver.ts';
import { domainZone, worldZones } from '../../src/dev/world/world-zones.ts';
import { toZoneRecords } from '../../src/dev/world/zone-record.ts';
import { packagedCommand } from '../support/packaged-command.ts';
import { devServer, temporalCli, type TestServer } from '../support/temporal.ts';

const bin = await packagedCommand();
const badRelease = fileURLToPath(new URL('bad-release.ts', import.meta.url));
const page = readFileSync(fileURLToPath(new URL('../../docs/operating.md', import.meta.url)), 'utf8');

/** The lines of the command blocks below a heading of the page. */
function commandsOf(heading: string): string[] {
  const [, section = ''] = new RegExp(`^#{2,3} ${heading}\\n([^]*?)(?=^#{2,3} |(?![^]))`, 'm').exec(page) ?? [];
  const commands = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
  expect(commands, `commands below ${heading}`).not.toEqual([]);
  return commands;
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

let folder: string;
let temporal: TestServer;
let dns: DnsServer;
let settings: Record<string, string>;
let temporalSettings: Record<string, string>;
/** Of the shell. */
let environment: NodeJS.ProcessEnv;
const programs = new Map<string, { stop(): Promise<void> }>();
let stopAll: () => Promise<void>;

const writeSettings = (changes: Record<string, string> = {}): void => {
  settings = { ...settings, ...changes };
  writeFileSync(
    join(folder, '.env'),
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sendoff-runbook-'));
  const shims = join(folder, 'bin');
  for (const name of ['bin', 'backups']) mkdirSync(join(folder, name));
  writeFileSync(join(shims, 'sendoff'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o700 });
  symlinkSync(await temporalCli(), join(shims, 'temporal'));
  await openTogether(async (closers) => {
    stopAll = closers.close;
    // A Namespace that setup creates can be used only seconds later.
    temporal = await devServer({ namespace: 'sendoff', searchAttributes: [] });
    closers.add(() => temporal.stop());
    dns = await startDnsServer({
      zones: [
        ...worldZones({ tenant: 'acme.com', recipient: 'inbox.example' }),
        ...domainZone('127.in-addr.arpa'),
        { name: 'mx1.acme.com', type: 'A', value: '127.0.0.1' },
        { name: '1.0.0.127.in-addr.arpa', type: 'PTR', value: 'mx1.acme.com' },
      ],
    });
    closers.add(() => dns.stop());
    const mail = await startMailReceiver({
      resolvers: [dns.address],
      hostname: 'mx.inbox.example',
      folder: join(folder, 'mail'),
    });
    closers.add(() => mail.stop());
    closers.add(() => stop(...programs.keys()));
    const [serverPort, emailServicePort] = [await freePort(), await freePort()];
    const [apiToken, operatorToken] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
    settings = {
      SENDOFF_URL: `http://127.0.0.1:${String(serverPort)}`,
      SENDOFF_API_TOKEN: apiToken,
      SENDOFF_SECRET_KEY: newKey(),
      SENDOFF_DATABASE_URL: `file:${folder}/data/sendoff.db`,
      SENDOFF_PORT: String(serverPort),
      SENDOFF_PUBLIC_URL: `http://127.0.0.1:${String(serverPort)}`,
      EMAIL_PROVIDER_URL: `http://127.0.0.1:${String(emailServicePort)}`,
      EMAIL_PROVIDER_OPERATOR_TOKEN: operatorToken,
      EMAIL_SERVICE_PORT: String(emailServicePort),
      EMAIL_SERVICE_OPERATOR_TOKEN: operatorToken,
      EMAIL_SERVICE_ENCRYPTION_KEY: newKey(),
      EMAIL_SERVICE_DATABASE_URL: `file:${folder}/data/email-service.db`,
      // A Namespace of its own would be usable only seconds after setup has created it.
      EMAIL_SERVICE_TEMPORAL_NAMESPACE: 'sendoff',
      EMAIL_SERVICE_HOSTNAME: 'mx1.acme.com',
      EMAIL_SERVICE_SPF_MECHANISM: 'ip4:127.0.0.1',
      EMAIL_SERVICE_SMTP_PORT: String(mail.port),
      DNS_RESOLVERS: dns.address,
      DNS_PORT: String(dns.port),
      ALLOW_PRIVATE_ADDRESSES: 'true',
    };
    writeSettings();
    temporalSettings = { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: 'sendoff' };
    environment = { PATH: [shims, process.env['PATH'] ?? ''].join(delimiter), HOME: folder, ...temporalSettings };
  });
});
afterAll(async () => {
  await stopAll();
  rmSync(folder, { recursive: true });
});

const newKey = (): string => randomBytes(32).toString('base64');
/** Runs a line of the page as an operator does: in a shell, in the folder of the .env file. Programs run in this process. */
async function run(command: string, replaced: Record<string, string> = {}): Promise<Ran> {
  const line = Object.entries({
    ' /backups/': ` ${folder}/backups/`,
    "'/backups/": `'${folder}/backups/`,
    ...replaced,
  }).reduce((text, [from, to]) => text.replaceAll(from, to), command);
  const [, program] = /^sendoff (server|worker|email-service)$/.exec(line) ?? [];
  if (program !== undefined) {
    await start(program as keyof typeof starts);
    return { code: 0, output: '' };
  }
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line], { cwd: folder, env: environment }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

/** Runs the lines in turn; each must succeed. */
async function follow(commands: readonly string[], replaced: Record<string, string> = {}): Promise<string> {
  let last = '';
  for (const command of commands) {
    const { code, output } = await run(command, replaced);
    expect(code, `${command}\n${output}`).toBe(0);
    last = output;
  }
  return last;
}

const everySetting = (): Record<string, string> => ({ ...settings, ...temporalSettings });
const logger = pino({ level: 'silent' });
const starts = {
  server: () => startServer(readConfig(everySetting()), readTemporalConfig(everySetting()), logger),
  worker: () => startWorker(readConfig(everySetting()), readTemporalConfig(everySetting())),
  'email-service': () =>
    startEmailService(readEmailServiceConfig(everySetting()), { logger, temporal: readTemporalConfig(everySetting()) }),
};

async function start(name: keyof typeof starts): Promise<void> {
  programs.set(name, await starts[name]());
}

async function stop(...names: string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      await programs.get(name)?.stop();
      programs.delete(name);
    }),
  );
}

async function statusOf(tenant = 'acme'): Promise<OnboardingView> {
  const headers = { authorization: `Bearer ${settings['SENDOFF_API_TOKEN'] ?? ''}` };
  return (
    await fetch(`${settings['SENDOFF_URL'] ?? ''}/onboardings/${tenant}`, { headers })
  ).json() as Promise<OnboardingView>;
}
const waitsForDomain = (tenant = 'acme'): Promise<void> =>
  expect.poll(async () => (await statusOf(tenant)).onboarding.stage, { timeout: 30_000 }).toBe('awaitingDomain');
const valuesOf = ({ onboarding }: OnboardingView): string[] =>
  onboarding.records.map(({ name, value }) => `${name} ${value}`).sort();
const checksOf = async (): Promise<Map<string, CheckResult>> => {
  let output = '';
  await doctor({ json: true }, { environment: everySetting(), write: (text) => void (output += text) });
  return new Map((JSON.parse(output) as { checks: CheckResult[] }).checks.map((check) => [check.name, check]));
};
const stateOf = async (check: string): Promise<string | undefined> => (await checksOf()).get(check)?.state;

/** One story: each test continues where the one before has ended. */
test('first start: setup, the programs, and doctor finds no problem', async () => {
  await follow(['sendoff setup', 'sendoff email-service', 'sendoff worker', 'sendoff server']);
  const { code, output } = await run(commandsOf('Runbook')[0] ?? '');
  expect(code, output).toBe(0);
  expect(output).toMatch(/^0 problems, 1 warning$/m);
});

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

/** Gives the Worker a Workflow Task of the onboarding. */
const WAKE_UP = `temporal workflow signal --workflow-id onboarding/acme --name providerReported --input '{"eventId":"e","type":"domain.verified"}'`;
test('a bad release: nothing fails, and the earlier version continues without creating anything twice', async () => {
  const before = await statusOf();
  const [describe = '', startWorkerAgain = '', reset = ''] = commandsOf('A bad release');
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
  const after = await statusOf();
  expect(after.onboarding.domainId).toBe(before.onboarding.domainId);
  expect(valuesOf(after)).toEqual(valuesOf(before));
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
test('restore: earlier onboardings continue, later ones are ended and started again', async () => {
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
  const first = commands.findIndex((command) => command.startsWith('temporal'));
  expect(await follow(commands.slice(0, first))).toMatch(/^0 problems/m);
  expect((await checksOf()).get('keys')?.found).toMatch(/key 1 decrypts 0, key 2 decrypts [1-9]/);
  expect((await statusOf()).onboarding.stage).toBe('awaitingDomain');
  await follow(commands.slice(first), lateTenant);
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
  expect(valuesOf(after)).toEqual(valuesOf(before));
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
