// Runs every command block of the runbook in docs/operating.md, in one story on a real deployment: all programs, a Temporal server,
// DNS and mail. The page promises that its commands work, so each runs in a shell with the settings of a .env file.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { pino } from 'pino';
import type { NamedDiagnosis } from '../../src/cli/doctor/check.ts';
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
import { packagedCommand } from '../support/packaged-command.ts';
import { devServer, temporalCli, type TestServer } from '../support/temporal.ts';

const bin = await packagedCommand();
const page = readFileSync(fileURLToPath(new URL('../../docs/operating.md', import.meta.url)), 'utf8');

/** The lines of the command blocks below a heading of the page. */
export function commandsOf(heading: string): string[] {
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

export let folder: string;
export let temporal: TestServer;
export let dns: DnsServer;
export let settings: Record<string, string>;
let temporalSettings: Record<string, string>;
/** Of the shell. */
let environment: NodeJS.ProcessEnv;
const programs = new Map<string, { stop(): Promise<void> }>();
let stopAll: () => Promise<void>;

export const writeSettings = (changes: Record<string, string> = {}): void => {
  settings = { ...settings, ...changes };
  writeFileSync(
    join(folder, '.env'),
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
};

/** Starts the deployment of the page before the tests of this file, and ends it after them. */
export function useRunbook(): void {
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
}

export const newKey = (): string => randomBytes(32).toString('base64');
/** Runs a line of the page as an operator does: in a shell, in the folder of the .env file. Programs run in this process. */
export async function run(command: string, replaced: Record<string, string> = {}): Promise<Ran> {
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
export async function follow(commands: readonly string[], replaced: Record<string, string> = {}): Promise<string> {
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

export async function start(name: keyof typeof starts): Promise<void> {
  programs.set(name, await starts[name]());
}

export async function stop(...names: string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      await programs.get(name)?.stop();
      programs.delete(name);
    }),
  );
}

export async function statusOf(tenant = 'acme'): Promise<OnboardingView> {
  const headers = { authorization: `Bearer ${settings['SENDOFF_API_TOKEN'] ?? ''}` };
  return (
    await fetch(`${settings['SENDOFF_URL'] ?? ''}/onboardings/${tenant}`, { headers })
  ).json() as Promise<OnboardingView>;
}
export const waitsForDomain = (tenant = 'acme'): Promise<void> =>
  expect.poll(async () => (await statusOf(tenant)).onboarding.stage, { timeout: 30_000 }).toBe('awaitingDomain');
export const valuesOf = ({ onboarding }: OnboardingView): string[] =>
  onboarding.records.map(({ name, value }) => `${name} ${value}`).sort();
export const checksOf = async (): Promise<Map<string, NamedDiagnosis>> => {
  let output = '';
  await doctor({ json: true }, { environment: everySetting(), write: (text) => void (output += text) });
  return new Map((JSON.parse(output) as { checks: NamedDiagnosis[] }).checks.map((check) => [check.name, check]));
};
export const stateOf = async (check: string): Promise<string | undefined> => (await checksOf()).get(check)?.state;
