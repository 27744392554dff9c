// No machine of the tests has Docker: the file is checked against the schema of Compose and against the code.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig, readWorkerConfig, settingsTable } from '../../src/config.ts';
import { commandLineSettings } from '../../src/cli/command-line-settings.ts';
import { readEmailServiceConfig, emailServiceSettings } from '../../src/email-service/config.ts';
import { durationMs } from '../../src/lib/duration.ts';
import { readSettings, type SettingsTable } from '../../src/lib/settings.ts';
import { readTemporalConfig } from '../../src/lib/temporal/temporal-config.ts';
import { workerOptions } from '../../src/worker-options.ts';
import { TEMPORAL_SERVER_VERSION } from '../support/temporal-servers/find-temporal-server.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly [key: string]: unknown;
}

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string): string => readFileSync(path(name), 'utf8');
const compose = parse(read('deploy/compose/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};
const services = Object.entries(compose.services);
const service = (name: string): Service => compose.services[name]!;
const { version } = JSON.parse(read('package.json')) as { version: string };

/** Those of sendoff, by the name of the service. */
const programs = services.filter(([, { image }]) => image.startsWith('sendoff:'));
const lasting = services.filter(([, { restart }]) => restart === 'unless-stopped');

/** With the secrets of `make-secrets.sh`, which the containers see in /run/secrets. */
const folder = folderOfFile();
copyFileSync(path('deploy/compose/make-secrets.sh'), join(folder, 'make-secrets.sh'));
const makeSecrets = (): string => execFileSync('sh', [join(folder, 'make-secrets.sh')], { encoding: 'utf8' });
const created = makeSecrets();

const environmentOf = (name: string): Record<string, string | undefined> => ({
  ...parseEnv(read('deploy/compose/sendoff.env.example')),
  ...Object.fromEntries(
    Object.entries(service(name).environment ?? {}).map(([variable, value]) => [
      variable,
      value.replace('/run/secrets/', `${folder}/secrets/`),
    ]),
  ),
});

test('is valid by the Compose Specification', () => {
  // From https://github.com/compose-spec/compose-spec, at a08f8d51.
  const schema = Compile(JSON.parse(read('test/deploy/compose-spec/compose-spec.json')) as object);
  expect(schema.Errors(compose)[1]).toEqual([]);
  expect(schema.Check({ services: { worker: { image: 'sendoff', healtcheck: {} } } })).toBe(false);
});

describe('the versions', () => {
  test('of the image is that of the package', () => {
    for (const [name, { image, build }] of programs) {
      expect(image, name).toBe(`sendoff:${version}`);
      expect(build, name).toEqual({ context: '../..', args: { VERSION: version } });
    }
  });

  test('of Temporal are those of the server that the tests start', () => {
    for (const name of ['temporal-schema', 'temporal-cli'])
      expect(service(name).image).toBe(`temporalio/admin-tools:${TEMPORAL_SERVER_VERSION}`);
    expect(service('temporal').image).toBe(`temporalio/server:${TEMPORAL_SERVER_VERSION}`);
  });
});

describe('the settings', () => {
  const tables: SettingsTable = { ...settingsTable, ...emailServiceSettings, ...commandLineSettings };
  const known = [
    ...Object.entries(tables).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])),
    ...['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'NODE_OPTIONS'],
  ];

  test.each(programs.map(([name]) => name))('%s sets variables that exist only', (name) => {
    expect(Object.keys(environmentOf(name)).filter((variable) => !known.includes(variable))).toEqual([]);
  });

  test('the server, the Workers and the email service start with them', () => {
    for (const name of ['server', 'worker', 'cli']) {
      const config = (name === 'worker' ? readWorkerConfig : readConfig)(environmentOf(name));
      expect(config.host).toBe('0.0.0.0');
      expect(config.providerUrl).toBe(`http://email-service:${emailServiceSettings.EMAIL_SERVICE_PORT.fallback}`);
    }
    const { operatorTokens } = readEmailServiceConfig(environmentOf('email-service'));
    expect(operatorTokens?.[0]?.token).toBe(readWorkerConfig(environmentOf('worker')).providerOperatorToken);
    expect(readEmailServiceConfig(environmentOf('cli')).operatorTokens).toEqual(operatorTokens);
    const { SENDOFF_URL, SENDOFF_API_TOKEN } = commandLineSettings;
    expect(readSettings({ SENDOFF_URL, SENDOFF_API_TOKEN }, environmentOf('cli'))).toMatchObject({
      SENDOFF_URL: `http://server:${settingsTable.SENDOFF_PORT.fallback}`,
    });
  });

  test('the token of the HTTP API is with the programs that read it', () => {
    const holders = programs.filter(([name]) => 'SENDOFF_API_TOKEN_FILE' in environmentOf(name)).map(([name]) => name);
    expect(holders).toEqual(['server', 'cli']);
    const mounted = programs.filter(([, { secrets }]) => secrets?.includes('sendoff_api_token')).map(([name]) => name);
    expect(mounted).toEqual(holders);
  });

  test('every program and the setup use the same databases and Temporal', () => {
    for (const [name] of programs) {
      expect(readTemporalConfig(environmentOf(name)).connectionOptions.address, name).toBe('temporal:7233');
      for (const prefix of ['SENDOFF', 'EMAIL_SERVICE']) {
        const url = environmentOf(name)[`${prefix}_DATABASE_URL`];
        if (url === undefined) continue;
        expect(url, name).toBe(environmentOf('migrate')[`${prefix}_DATABASE_URL`]);
        const [, role, database] = /^postgres:\/\/(\w+)@postgres:5432\/(\w+)\?sslmode=disable$/.exec(url) ?? [];
        expect(read('deploy/compose/create-databases.sql')).toContain(`create database ${database} owner ${role};`);
      }
    }
  });
});

describe('the secrets', () => {
  test('are files that make-secrets.sh creates once, of a folder that only its owner can open', () => {
    const names = Object.keys(compose.secrets);
    for (const name of names) {
      expect(compose.secrets[name]!.file).toBe(`secrets/${name}`);
      expect(created).toContain(`secrets/${name} created\n`);
      expect(Buffer.from(readFileSync(join(folder, 'secrets', name), 'utf8'), 'base64')).toHaveLength(32);
      // A container's user is another one than the owner.
      expect(statSync(join(folder, 'secrets', name)).mode & 0o777).toBe(0o444);
    }
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    const first = names.map((name) => readFileSync(join(folder, 'secrets', name), 'utf8'));
    expect(new Set(first).size).toBe(names.length);
    expect(makeSecrets().match(/ exists\n/g)).toHaveLength(names.length);
    expect(names.map((name) => readFileSync(join(folder, 'secrets', name), 'utf8'))).toEqual(first);
  });

  test.each(services.map(([name]) => name))('%s is given those that it reads, and no others', (name) => {
    const { secrets = [], environment, command, volumes, healthcheck } = service(name);
    const scripts = ((volumes ?? []) as string[])
      .filter((volume) => volume.startsWith('./'))
      .map((volume) => read(`deploy/compose/${volume.split(':')[0] ?? ''}`));
    const text = JSON.stringify([environment, command, healthcheck]) + scripts.join('');
    const used = [...text.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, secret]) => secret);
    expect([...secrets].sort()).toEqual([...new Set(used)].sort());
  });

  test('stay out of the repository and of the image', () => {
    const secret = 'deploy/compose/secrets/operator_token';
    const ignored = execFileSync('git', ['check-ignore', secret, 'deploy/compose/sendoff.env'], { cwd: path('.') });
    expect(ignored.toString().trim().split('\n')).toHaveLength(2);
    const [first, ...copied] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    expect(copied.every((line) => line.startsWith('!'))).toBe(true);
    expect(copied.filter((line) => `${secret}/`.startsWith(`${line.slice(1)}/`))).toEqual([]);
  });
});

describe('every service', () => {
  test('is published on loopback only', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published.length).toBeGreaterThan(0);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  test('has no capabilities, cannot gain privileges and writes to volumes and memory only', () => {
    for (const [name, each] of services) {
      expect(each, name).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      if (name !== 'temporal-cli') expect(each['read_only'], name).toBe(true);
    }
  });

  test('that runs has a health check and time to stop; the others end', () => {
    expect(lasting.map(([name]) => name).sort()).toEqual(
      ['email-service', 'grafana', 'postgres', 'prometheus', 'server', 'temporal', 'temporal-ui', 'worker'].sort(),
    );
    for (const [name, { healthcheck }] of lasting) expect(String(healthcheck?.test), name).toMatch(/^CMD/);
    const longest = durationMs(workerOptions.shutdownForceTime)!;
    for (const [name, each] of programs)
      expect(durationMs(String(each['stop_grace_period'])), name).toBeGreaterThan(longest + 5_000);
  });

  test('starts when what it needs is healthy or done', () => {
    for (const [name, { depends_on: needs = {} }] of services)
      for (const [needed, { condition }] of Object.entries(needs)) {
        const isLasting = lasting.some(([each]) => each === needed);
        expect(condition, `${name} needs ${needed}`).toBe(
          isLasting ? 'service_healthy' : 'service_completed_successfully',
        );
      }
    const order = ['postgres', 'temporal-schema', 'temporal', 'setup', 'server'];
    for (const [index, name] of order.slice(1).entries())
      expect(Object.keys(service(name).depends_on ?? {})).toContain(order[index]);
    expect(Object.keys(service('setup').depends_on ?? {})).toContain('migrate');
  });

  test('that Prometheus reads serves its metrics at the port that it asks', () => {
    const { scrape_configs: jobs } = parse(read('deploy/observe/prometheus.yaml')) as {
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const asked = jobs.flatMap(({ dns_sd_configs: found }) =>
      found.flatMap(({ names, port }) => names.map((name) => [name, `0.0.0.0:${String(port)}`])),
    );
    const served = ['server', 'worker', 'email-service'].map((name) => {
      const { metricsAddress } = {
        server: readConfig,
        worker: readWorkerConfig,
        'email-service': readEmailServiceConfig,
      }[name as 'server'](environmentOf(name));
      return [name, metricsAddress];
    });
    expect(asked).toEqual(served);
  });

  test('of which any number can run, runs twice', () => {
    const twice = services.filter(([, each]) => each['scale'] === 2).map(([name]) => name);
    expect(twice).toEqual(['email-service', 'worker', 'server']);
  });
});
