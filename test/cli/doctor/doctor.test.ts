import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NamedDiagnosis } from '../../../src/cli/doctor/check.ts';
import { doctor } from '../../../src/cli/doctor/doctor.ts';
import type { DoctorOptions } from '../../../src/cli/doctor/doctor-context.ts';
import { readConfig } from '../../../src/config.ts';
import { serveOnLoopback } from '../../../src/dev/serve-on-loopback.ts';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { domainZone } from '../../../src/dev/world/world-zones.ts';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { readEmailServiceConfig } from '../../../src/email-service/config.ts';
import { startEmailService } from '../../../src/email-service/main.ts';
import { createSealer } from '../../../src/lib/sealing.ts';
import { readTemporalConfig } from '../../../src/lib/temporal/temporal-config.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { startServer } from '../../../src/server.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import { createSqlSecretStore } from '../../../src/store/secret-store.ts';
import { startWorker, type RunningWorker } from '../../../src/worker.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { startScriptedSmtpServer, type ScriptedSmtpServer } from '../../email-service/support/scripted-smtp-server.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { forkWorker } from '../../support/fork-worker.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';
import { folderOfFile } from '../../support/temporary-folder.ts';

const secret = (): string => randomBytes(32).toString('base64');
const ADDRESS = '127.0.0.1';
const REVERSE = '1.0.0.127.in-addr.arpa';
const HOSTNAME = 'mail.service.test';
const zones: readonly ZoneRecord[] = [
  ...domainZone('test'),
  ...domainZone('127.in-addr.arpa'),
  { name: HOSTNAME, type: 'A', value: ADDRESS },
  { name: REVERSE, type: 'PTR', value: HOSTNAME },
  { name: 'inbox.test', type: 'MX', value: `10 ${HOSTNAME}` },
];

const folder = folderOfFile();
let temporal: TestServer;
let dns: DnsServer;
let mail: ScriptedSmtpServer;
let worker: RunningWorker;
let environment: Record<string, string>;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  temporal = await devServer({
    namespace: 'sendoff',
    otherNamespaces: ['sendoff-background', 'sendoff-email-service'],
    searchAttributes: searchAttributeKeys,
  });
  dns = await startDnsServer({ zones });
  mail = await startScriptedSmtpServer();
  const [serverPort, emailServicePort] = [await freePort(), await freePort()];
  const operatorToken = randomBytes(24).toString('hex');
  environment = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'sendoff',
    SENDOFF_API_TOKEN: randomBytes(24).toString('hex'),
    SENDOFF_SECRET_KEY: secret(),
    SENDOFF_DATABASE_URL: `file:${join(folder, 'sendoff.db')}`,
    SENDOFF_PORT: String(serverPort),
    SENDOFF_PUBLIC_URL: `http://127.0.0.1:${String(serverPort)}`,
    EMAIL_PROVIDER_URL: `http://127.0.0.1:${String(emailServicePort)}`,
    EMAIL_PROVIDER_OPERATOR_TOKEN: operatorToken,
    EMAIL_SERVICE_PORT: String(emailServicePort),
    EMAIL_SERVICE_OPERATOR_TOKEN: operatorToken,
    EMAIL_SERVICE_DATABASE_URL: `file:${join(folder, 'email-service.db')}`,
    EMAIL_SERVICE_ENCRYPTION_KEY: secret(),
    EMAIL_SERVICE_HOSTNAME: HOSTNAME,
    EMAIL_SERVICE_SPF_MECHANISM: `a:${HOSTNAME}`,
    EMAIL_SERVICE_SMTP_PORT: String(mail.port),
    DNS_RESOLVERS: dns.address,
    DNS_PORT: String(dns.port),
    ALLOW_PRIVATE_ADDRESSES: 'true',
  };
  const config = readConfig(environment);
  const temporalConfig = readTemporalConfig(environment);
  const logger = pino({ level: 'silent' });
  const emailService = await startEmailService(readEmailServiceConfig(environment), {
    logger,
    temporal: temporalConfig,
  });
  worker = await startWorker(config, temporalConfig);
  const server = await startServer(config, temporalConfig, logger);
  ends.push(
    () => server.stop(),
    () => worker.stop(),
    () => emailService.stop(),
    () => mail.stop(),
    () => dns.stop(),
    () => temporal.stop(),
  );
  const database = await openDatabase(config.databaseUrl);
  await createSqlSecretStore(database, createSealer(config.secretKeys)).put('onboarding/acme/api-key', 'so_live_x');
  await database.destroy();
});
afterAll(async () => {
  for (const end of ends) await end();
});

interface Run {
  readonly code: number;
  readonly text: string;
  readonly checks: readonly NamedDiagnosis[];
}

async function examine(
  changes: Record<string, string> = {},
  options: DoctorOptions = { mxOf: 'inbox.test' },
  limits: { timeoutMs?: number } = {},
): Promise<Run> {
  let text = '';
  const write = (part: string): void => void (text += part);
  const code = await doctor(
    { json: true, ...options },
    { environment: { ...environment, ...changes }, write, ...limits },
  );
  return {
    code,
    text,
    checks: options.json === false ? [] : (JSON.parse(text) as { checks: NamedDiagnosis[] }).checks,
  };
}

/** The lines that are not OK, as `state name: found → remedy`, without the warning that the DNS server validates nothing. */
const faults = ({ checks }: Run): string[] =>
  checks
    .filter(({ state, name }) => state !== 'ok' && name !== 'DNS resolvers')
    .map(({ state, name, found, remedy }) => `${state} ${name}: ${found}${remedy === null ? '' : ` → ${remedy}`}`);

/** A copy of the orchestrator's database, with this change, as its setting. */
const changedDatabase = (name: string, change: string): { SENDOFF_DATABASE_URL: string } => {
  const copy = join(folder, name);
  const source = new DatabaseSync(join(folder, 'sendoff.db'));
  source.exec(`vacuum into '${copy}'`);
  source.close();
  const database = new DatabaseSync(copy);
  database.exec(change);
  database.close();
  return { SENDOFF_DATABASE_URL: `file:${copy}` };
};

async function serving(listener: RequestListener): Promise<string> {
  const { url, stop } = await serveOnLoopback(listener);
  ends.unshift(stop);
  return url;
}

describe('on a running deployment', () => {
  test('reports every check as OK, in a fixed order, and exits 0', async () => {
    const run = await examine();
    expect(faults(run)).toEqual([]);
    expect(run.code).toBe(0);
    expect(run.checks.map(({ name }) => name)).toEqual([
      'settings',
      'email service settings',
      'Temporal',
      'Namespace',
      'background Namespace',
      'email service Namespace',
      'Search Attributes',
      'database',
      'database of the Namespace',
      'database of the background Namespace',
      'executions',
      'Workflow Tasks',
      'keys',
      'Workers',
      'sweeps and Schedules',
      'email service database',
      'email service keys',
      'email service Workers',
      'email service sweep and Schedule',
      'provider',
      'provider credential',
      'onboardings at providers',
      'HTTP API',
      'webhook receiver',
      'setup page',
      'DNS resolvers',
      'outbound SMTP',
      'reverse DNS',
      'SPF mechanism',
      'clock',
    ]);
    expect(run.checks.find(({ name }) => name === 'keys')?.found).toBe(
      'SENDOFF_SECRET_KEY decrypts all 1 secret: key 1 decrypts 1',
    );
  });

  test('warns that no resolver validates DNSSEC', async () => {
    const { checks } = await examine();
    expect(checks.find(({ name }) => name === 'DNS resolvers')).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('none validates DNSSEC') as string,
    });
  });

  test('prints one line for each check, and how many problems there are', async () => {
    const { text } = await examine({ EMAIL_SERVICE_SPF_MECHANISM: 'ip4:203.0.113.5' }, { json: false });
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(31);
    expect(lines[0]).toMatch(/^OK +settings +all are valid$/);
    expect(lines).toContainEqual(
      expect.stringMatching(/^PROBLEM +SPF mechanism +ip4:203\.0\.113\.5 does not allow 127\.0\.0\.1 → Set EMAIL_SERV/),
    );
    expect(lines.at(-1)).toBe('1 problem, 1 warning');
  });

  test('changes nothing: no account, key or onboarding is created', async () => {
    const rowsOf = (file: string): string[] => {
      const database = new DatabaseSync(join(folder, file));
      const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all() as {
        name: string;
      }[];
      const rows = tables.map(({ name }) => {
        const count: unknown = database.prepare(`select count(*) from "${name}"`).get();
        return JSON.stringify([name, count]);
      });
      database.close();
      return rows;
    };
    const before = [rowsOf('sendoff.db'), rowsOf('email-service.db')];
    await examine();
    expect([rowsOf('sendoff.db'), rowsOf('email-service.db')]).toEqual(before);
    expect(mail.commands.filter((command) => !/^(EHLO|QUIT)/.test(command))).toEqual([]);
  });

  test('connects to no mail server unless an option names one, and shows how to', async () => {
    const sessions = (): number => mail.commands.filter((command) => command.startsWith('EHLO')).length;
    const before = sessions();
    expect(faults(await examine({}, {}))).toEqual([
      `skipped outbound SMTP: not tested whether port ${String(mail.port)} is open to other mail servers → Name a domain whose mail servers may be greeted: sendoff doctor --mx-of gmail.com`,
    ]);
    expect(sessions()).toBe(before);
  });

  test('prints no secret, even if a server repeats it', async () => {
    const echo = await serving((request, response) => {
      const detail = `bad ${request.headers.authorization ?? ''}`;
      response.writeHead(500, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify({ code: detail, detail }));
    });
    const tokenFile = join(folder, 'api-token');
    writeFileSync(tokenFile, environment['SENDOFF_API_TOKEN'] ?? '');
    const changes = {
      EMAIL_PROVIDER_URL: echo,
      SENDOFF_URL: echo,
      SENDOFF_PUBLIC_URL: echo,
      TEMPORAL_API_KEY: 'a-temporal-api-key',
    };
    const inFile = { SENDOFF_API_TOKEN: '', SENDOFF_API_TOKEN_FILE: tokenFile };
    const { text } = await examine({ ...changes, ...inFile });
    for (const [name, value] of Object.entries({ ...environment, ...changes }))
      if (/TOKEN|_KEY$/.test(name)) expect(text, name).not.toContain(value);
  });
});

describe('with one fault, reports it beside all other checks:', () => {
  const lockFree = (): void => undefined;
  const unchanged = (): Record<string, string> => ({});
  const withoutDatabase = [
    ...['database of the Namespace', 'database of the background Namespace', 'executions', 'Workflow Tasks'],
    ...['keys', 'onboardings at providers'],
  ].map((name) => `skipped ${name}: not checked: see database`);
  test.each<{
    fault: string;
    changes?: () => Record<string, string> | Promise<Record<string, string>>;
    found: readonly (string | RegExp)[];
    prepare?: () => () => void;
    options?: DoctorOptions;
  }>([
    {
      fault: 'a setting that is missing',
      changes: () => ({ EMAIL_PROVIDER_OPERATOR_TOKEN: '' }),
      found: [
        /^problem settings: EMAIL_PROVIDER_OPERATOR_TOKEN is not set\./,
        'skipped provider credential: not checked: see settings',
      ],
    },
    {
      fault: 'Temporal is down',
      changes: async () => ({ TEMPORAL_ADDRESS: `127.0.0.1:${String(await freePort())}` }),
      found: [
        /^problem Temporal: no Temporal server answers at 127\.0\.0\.1:\d+ .* → Start Temporal, or correct TEMPORAL_ADDRESS/,
        ...[
          'Namespace',
          'background Namespace',
          'email service Namespace',
          'Search Attributes',
          'database of the Namespace',
          'database of the background Namespace',
          'executions',
          'Workflow Tasks',
          'Workers',
          'sweeps and Schedules',
          'email service Workers',
          'email service sweep and Schedule',
        ].map((name) => `skipped ${name}: not checked: see Temporal`),
      ],
    },
    {
      fault: 'the Namespace does not exist',
      changes: () => ({ TEMPORAL_NAMESPACE: 'absent' }),
      found: [
        'problem Namespace: absent does not exist → Correct the setting, or create it with: sendoff setup',
        'problem background Namespace: absent-background does not exist → Correct the setting, or create it with: sendoff setup',
        'problem email service Namespace: absent-email-service does not exist → Correct the setting, or create it with: sendoff setup',
        ...['Search Attributes', 'database of the Namespace'].map(
          (name) => `skipped ${name}: not checked: see Namespace`,
        ),
        'skipped database of the background Namespace: not checked: see background Namespace',
        ...['executions', 'Workflow Tasks', 'Workers', 'sweeps and Schedules'].map(
          (name) => `skipped ${name}: not checked: see Namespace`,
        ),
        'skipped email service Workers: not checked: see email service Namespace',
        'skipped email service sweep and Schedule: not checked: see email service Namespace',
      ],
    },
    {
      fault: 'a Namespace without Search Attributes and Workers',
      changes: async () => {
        const { connection } = temporal.environment;
        await setUpTemporal({ connection, address: temporal.address, namespace: 'bare', searchAttributes: [] });
        return {
          TEMPORAL_NAMESPACE: 'bare',
          SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: 'bare',
          EMAIL_SERVICE_TEMPORAL_NAMESPACE: 'bare',
        };
      },
      found: [
        /^problem Search Attributes: Missing Search Attributes: SendoffTenant \(Keyword\), .* → Register them: sendoff setup$/,
        /^problem database of the Namespace: the database .* belongs to the Temporal Namespace sendoff \(id .* not to bare .* sendoff store use-namespace --only orchestrator$/,
        'skipped executions: not checked: see database of the Namespace',
        'skipped Workflow Tasks: not checked: see database of the Namespace',
        /^problem Workers: no Worker polls onboarding, onboarding-polls in bare; onboarding, onboarding-watch in bare → Start a Worker.*: sendoff worker$/,
        /^problem sweeps and Schedules: The Workflow sendoff\/installation does not run in the Namespace bare; .*sendoff\/sweep.* → .*: sendoff worker$/,
        /^problem email service Workers: no Worker polls email-service\/[0-9a-f]+, email-service-deliveries\/[0-9a-f]+ in bare → /,
        /^problem email service sweep and Schedule: the database .* belongs to .* use-namespace --only email-service$/,
      ],
    },
    {
      fault: 'no Worker delivers the notifications',
      changes: () => ({
        SENDOFF_NOTIFICATION_URL: 'https://backend.test/webhooks',
        SENDOFF_NOTIFICATION_SECRET: `whsec_${secret()}`,
      }),
      found: [/^problem Workers: no Worker polls onboarding-notifications in sendoff-background → Start a Worker/],
    },
    {
      fault: 'no Worker runs the steps of a provider whose settings are there',
      changes: () => ({ RESEND_API_KEY: 're_x' }),
      found: [/^problem Workers: no Worker polls onboarding-provider-resend in sendoff → Start a Worker/],
    },
    {
      fault: 'the URL of the database is of another kind',
      changes: () => ({ SENDOFF_DATABASE_URL: 'mysql://localhost/sendoff' }),
      found: [
        /^problem settings: SENDOFF_DATABASE_URL /,
        'skipped database: not checked: see settings',
        ...withoutDatabase,
      ],
    },
    {
      fault: 'the database does not exist',
      changes: () => ({ SENDOFF_DATABASE_URL: `file:${join(folder, 'absent.db')}` }),
      found: [
        /^problem database: SENDOFF_DATABASE_URL is file:.*absent\.db, which cannot be opened: there is no such file → .*sendoff setup$/,
        ...withoutDatabase,
      ],
    },
    {
      // All others are made all the same.
      fault: 'the database is not migrated',
      changes: () =>
        changedDatabase('old.db', 'delete from kysely_migration where name = (select max(name) from kysely_migration)'),
      found: [/^problem database: file:.*old\.db lacks 1 migration: /],
    },
    {
      fault: 'the database is locked',
      prepare: () => holdWriteLock(join(folder, 'sendoff.db')),
      found: [/^problem database: file:.*sendoff\.db is locked by another program → End the program/],
    },
    {
      fault: 'the database belongs to another installation',
      changes: () => changedDatabase('other.db', "update installation set id = 'ffffffffffff'"),
      found: [
        /^problem database of the Namespace: the Temporal Namespace sendoff has belonged to installation [0-9a-f]{12} since .*belongs to installation ffffffffffff\. → Set SENDOFF_DATABASE_URL .* temporal workflow terminate /,
        /^problem database of the background Namespace: the Temporal Namespace sendoff-background has belonged to installation .* or SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE to another /,
      ],
    },
    {
      fault: 'the database knows another Namespace of the same name',
      changes: () => changedDatabase('elsewhere.db', "update installation set namespace_id = 'of another cluster'"),
      found: [
        /^problem database of the Namespace: the database .* belongs to the Temporal Namespace sendoff \(id of another cluster\), not to another one of that name /,
        'skipped executions: not checked: see database of the Namespace',
        'skipped Workflow Tasks: not checked: see database of the Namespace',
      ],
    },
    {
      fault: 'an onboarding without an execution',
      changes: async () => {
        const changes = changedDatabase('missing.db', 'select 1');
        const database = await openDatabase(changes.SENDOFF_DATABASE_URL);
        await beginOnboarding(createSqlRegister(database), 'acme', '11111111-2222-4333-8444-555555555555');
        await database.destroy();
        return changes;
      },
      found: [
        /^problem executions: Temporal has no execution of 1 onboarding that the register shows as running: acme → .*: sendoff cancel acme$/,
      ],
    },
    {
      fault: 'the key decrypts nothing',
      changes: () => ({ SENDOFF_SECRET_KEY: secret() }),
      found: [/^problem keys: SENDOFF_SECRET_KEY decrypts none of the 1 secret → Put the key that encrypted them/],
    },
    {
      fault: 'the provider is down',
      changes: async () => ({ EMAIL_PROVIDER_URL: `http://127.0.0.1:${String(await freePort())}` }),
      found: [
        /^problem provider: http:\/\/127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED.* → Start the provider/,
        'skipped provider credential: not checked: see provider',
      ],
    },
    {
      fault: 'the operator token is wrong',
      changes: () => ({ EMAIL_PROVIDER_OPERATOR_TOKEN: 'wrong-but-long-enough-to-be-a-token' }),
      found: [
        /^problem provider credential: the provider refuses EMAIL_PROVIDER_OPERATOR_TOKEN with 401 invalid_api_key → /,
      ],
    },
    {
      fault: 'the API token is wrong',
      changes: () => ({ SENDOFF_API_TOKEN: 'another-token-of-enough-characters' }),
      found: [/^problem HTTP API: http:\/\/127\.0\.0\.1:\d+ refuses SENDOFF_API_TOKEN → /],
    },
    {
      fault: 'the public URL leads to another server',
      changes: () => ({ SENDOFF_PUBLIC_URL: environment['EMAIL_PROVIDER_URL'] ?? '' }),
      found: [
        /^problem webhook receiver: http:\/\/127\.0\.0\.1:\d+ answers with status 405, not as sendoff's webhook receiver → /,
        /^problem setup page: http:\/\/127\.0\.0\.1:\d+ answers with status 404, not with sendoff's setup page → .*SENDOFF_PUBLIC_URL$/,
      ],
    },
    {
      fault: 'the PTR record names another host',
      prepare: () => {
        dns.withdraw(REVERSE, 'PTR');
        dns.publish([{ name: REVERSE, type: 'PTR', value: 'vps-17.cloud.test' }]);
        return () => {
          dns.withdraw(REVERSE, 'PTR');
          dns.publish([{ name: REVERSE, type: 'PTR', value: HOSTNAME }]);
        };
      },
      found: [
        `problem reverse DNS: the PTR record of 127.0.0.1 is vps-17.cloud.test, the EHLO name is ${HOSTNAME} → Let the owner of the address (your cloud or network provider) set its PTR record to ${HOSTNAME}`,
      ],
    },
    {
      fault: 'mail leaves from an address that the host name does not have',
      options: { mxOf: 'inbox.test', sendingAddress: '127.0.0.9' },
      found: [
        `problem reverse DNS: EMAIL_SERVICE_HOSTNAME ${HOSTNAME} has the address 127.0.0.1, mail leaves from 127.0.0.9 → Publish an A record: ${HOSTNAME} 127.0.0.9`,
        `problem SPF mechanism: a:${HOSTNAME} does not allow 127.0.0.9 → Set EMAIL_SERVICE_SPF_MECHANISM to a mechanism that allows 127.0.0.9, and let tenants update their SPF records`,
      ],
    },
    {
      fault: 'a mail server refuses this machine',
      prepare: () => {
        mail.answer({ greeting: '554 5.7.1 your address is on a blocklist' });
        return () => {
          mail.answer({ greeting: '220 mx.inbox.test ESMTP' });
        };
      },
      found: [
        /^problem outbound SMTP: mail\.service\.test:\d+: Replied 554: your address is on a blocklist → The server refuses this machine/,
      ],
    },
    {
      fault: 'outbound SMTP is blocked',
      options: { smtpHost: '127.0.0.1:1' },
      found: [/^problem outbound SMTP: 127\.0\.0\.1:1: .*ECONNREFUSED.* → Let this machine connect to port 25/],
    },
  ])('$fault', async ({ changes = unchanged, found, prepare = () => lockFree, options }) => {
    const undo = prepare();
    try {
      const run = await examine(await changes(), options);
      expect(run.code).toBe(1);
      const shown = faults(run);
      expect(shown, shown.join('\n')).toHaveLength(found.length);
      for (const [index, pattern] of found.entries())
        expect(shown[index]).toEqual(typeof pattern === 'string' ? pattern : expect.stringMatching(pattern));
    } finally {
      undo();
    }
  });

  test('a resolver that does not answer', async () => {
    const silent = createSocket('udp4');
    silent.bind(0, ADDRESS);
    await once(silent, 'listening');
    try {
      const { checks } = await examine({ DNS_RESOLVERS: `127.0.0.1:${String(silent.address().port)}` }, {});
      expect(checks.find(({ name }) => name === 'DNS resolvers')).toMatchObject({
        state: 'problem',
        found: expect.stringMatching(/^127\.0\.0\.1:\d+ does not answer by UDP \(timeout\)$/) as string,
      });
      expect(checks.find(({ name }) => name === 'reverse DNS')).toMatchObject({
        state: 'skipped',
        found: 'not checked: see DNS resolvers',
      });
    } finally {
      silent.close();
    }
  });

  test('a clock that is an hour ahead, as a warning', async () => {
    const url = await serving((_request, response) => {
      response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString());
      response.end();
    });
    const { code, checks } = await examine({ TEMPORAL_UI_URL: url });
    expect(code).toBe(0);
    expect(checks.find(({ name }) => name === 'clock')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(
        /^the Temporal UI is 3(599|600|601) s ahead of this machine; webhooks are refused from 300 s$/,
      ) as string,
    });
  });

  test('a server that accepts connections and never answers', async () => {
    const url = await serving(() => undefined);
    const { checks } = await examine({ SENDOFF_PUBLIC_URL: url }, {}, { timeoutMs: 4_000 });
    expect(checks.find(({ name }) => name === 'webhook receiver')).toMatchObject({
      state: 'problem',
      found: 'no answer within 4 s',
    });
    expect(checks.filter(({ state }) => state === 'problem').map(({ name }) => name)).toEqual([
      'webhook receiver',
      'setup page',
    ]);
  });

  // The last two tests: they have no Worker that answers.
  test('a Worker that has stopped, while the server still lists it as a poller', async () => {
    await worker.stop();
    expect(faults(await examine())).toEqual([
      'problem Workers: no Worker answers on the Task Queue of Namespace sendoff → Start a Worker, and read its log if it ends: sendoff worker',
    ]);
  });

  test('a Worker that polls and is blocked', async () => {
    const child = await forkWorker(temporal.address, 'sendoff');
    try {
      await child.block(20_000);
      expect(faults(await examine())).toEqual([
        'problem Workers: a Worker of Namespace sendoff polls, but has not answered for 6 s → It is busy or blocked: read its log, and start another one if it stays so: sendoff worker',
      ]);
    } finally {
      child.kill();
    }
  });
});
