import { Connection } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setup } from '../../src/cli/programs/setup.ts';
import { readConfig } from '../../src/config.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { readEmailServiceConfig } from '../../src/email-service/config.ts';
import { startEmailService } from '../../src/email-service/main.ts';
import { startServer, type RunningServer } from '../../src/server.ts';
import { startWorker } from '../../src/worker.ts';
import { readTemporalConfig } from '../../src/lib/temporal/temporal-config.ts';
import { typeName } from '../../src/lib/temporal/setup/setup-gap.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { devServer, type TestServer } from '../support/temporal.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

let plain: TestServer;
let proxy: TcpProxy;
let connection: Connection;
const folder = folderOfFile();
beforeAll(async () => {
  // As `temporal server start-dev` starts it.
  plain = await devServer({ searchAttributes: [] });
  proxy = await startTcpProxy(plain.address);
  connection = await Connection.connect({ address: plain.address });
});
afterAll(async () => {
  await connection.close();
  await proxy.stop();
  await plain.stop();
});

const logger = pino({ level: 'silent' });
const apiToken = 'a-token-of-more-than-24-characters';
const environmentOf = (namespace: string): Record<string, string> => ({
  TEMPORAL_ADDRESS: proxy.address,
  TEMPORAL_NAMESPACE: namespace,
  SENDOFF_API_TOKEN: apiToken,
  SENDOFF_SECRET_KEY: randomBytes(32).toString('base64'),
  SENDOFF_DATABASE_URL: `file:${join(folder, namespace, 'sendoff.db')}`,
  SENDOFF_PORT: '0',
  EMAIL_PROVIDER_OPERATOR_TOKEN: 'operator',
  EMAIL_SERVICE_PORT: '0',
  EMAIL_SERVICE_DATABASE_URL: `file:${join(folder, namespace, 'email-service.db')}`,
  EMAIL_SERVICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  EMAIL_SERVICE_HOSTNAME: 'mail.service.test',
  EMAIL_SERVICE_SPF_MECHANISM: 'ip4:127.0.0.1',
  DNS_RESOLVERS: '127.0.0.1:9',
});

const programs = {
  server: (environment: Record<string, string>) =>
    startServer(readConfig(environment), readTemporalConfig(environment), logger),
  worker: (environment: Record<string, string>) =>
    startWorker(readConfig(environment), readTemporalConfig(environment)),
  'email-service': (environment: Record<string, string>) =>
    startEmailService(readEmailServiceConfig(environment), { logger, temporal: readTemporalConfig(environment) }),
};

async function runSetup(environment: Record<string, string>): Promise<{ exitCode: number; output: unknown }> {
  let text = '';
  const write = (part: string): void => void (text += part);
  const exitCode = await setup({ json: true, retentionDays: 10 }, { environment, write });
  return { exitCode, output: JSON.parse(text) };
}

describe('on a plain Temporal server', () => {
  test.each(Object.entries(programs))(
    '%s refuses to start in a Namespace that does not exist, names the command, and leaves nothing open',
    async (_name, start) => {
      await expect(start(environmentOf('absent'))).rejects.toThrow(
        /The Namespace absent(?:-email-service)? does not exist[^]*sendoff setup$/,
      );
      await expect.poll(proxy.connections).toBe(0);
    },
  );

  test.each(['server', 'worker'] as const)(
    '%s refuses to start without the Search Attributes, and names them',
    async (name) => {
      const missing = searchAttributeKeys.map((key) => `${key.name} (${typeName(key)})`).join(', ');
      await expect(programs[name](environmentOf('default'))).rejects.toThrow(`Missing Search Attributes: ${missing}`);
    },
  );

  test('setup prepares everything; all programs then start, and an onboarding can be started at once', async () => {
    const environment = environmentOf('sendoff');
    expect(await runSetup(environment)).toMatchObject({
      exitCode: 0,
      output: {
        complete: true,
        temporal: { namespace: 'sendoff', namespaceCreated: true },
        background: { namespace: 'sendoff-background', namespaceCreated: true, registered: [] },
        emailService: { namespace: 'sendoff-email-service', namespaceCreated: true, registered: [] },
      },
    });
    for (const name of ['sendoff.db', 'email-service.db']) {
      expect(existsSync(join(folder, 'sendoff', name))).toBe(true);
    }
    const started = await Promise.all(Object.values(programs).map((start) => start(environment)));
    try {
      const [server] = started as unknown as [RunningServer];
      expect((await put(server)).status).toBe(201);
      expect((await runSetup(environment)).output).toMatchObject({
        temporal: { namespaceCreated: false, registered: [] },
      });
    } finally {
      await Promise.all(started.map((program) => program.stop()));
    }
  });

  test('setup creates one Namespace for all if they share it, and none for a provider of another kind', async () => {
    const shared = {
      ...environmentOf('shared'),
      SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: 'shared',
      EMAIL_SERVICE_TEMPORAL_NAMESPACE: 'shared',
    };
    expect(await runSetup(shared)).toMatchObject({
      exitCode: 0,
      output: { complete: true, background: null, emailService: null },
    });
    const alone = Object.entries(environmentOf('shared')).filter(([name]) => !name.startsWith('EMAIL_SERVICE_'));
    expect((await runSetup(Object.fromEntries(alone))).output).toMatchObject({ emailService: null });
  });

  test('a Search Attribute that is removed later makes PUT answer 503 with its name, and /readyz names it', async () => {
    const environment = environmentOf('removed');
    await runSetup(environment);
    const server = await programs.server(environment);
    try {
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      await connection.operatorService.removeSearchAttributes({
        namespace: 'removed',
        searchAttributes: ['SendoffDomain'],
      });
      const answer = await fetch(`${server.url}/readyz`);
      expect([answer.status, await answer.json()]).toMatchObject([
        503,
        { temporal: 'not_set_up', missing: [{ kind: 'search_attribute', name: 'SendoffDomain', found: null }] },
      ]);
      // The server's cache of a Namespace's Search Attributes may be some seconds old.
      await expect
        .poll(async (): Promise<unknown> => (await put(server, `t${String(Date.now())}`)).json(), { timeout: 30_000 })
        .toMatchObject({
          code: 'temporal_not_set_up',
          status: 503,
          detail: expect.stringMatching(/SendoffDomain.*sendoff setup$/) as string,
        });
    } finally {
      await server.stop();
    }
  });

  test('reports the address of a server that cannot be reached', async () => {
    const address = `127.0.0.1:${String(await freePort())}`;
    await expect(runSetup({ ...environmentOf('sendoff'), TEMPORAL_ADDRESS: address })).rejects.toThrow(
      `no Temporal server answers at ${address}`,
    );
  }, 30_000);
});

const put = ({ url }: RunningServer, tenant = 'acme'): Promise<Response> =>
  fetch(`${url}/onboardings/${tenant}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      domain: 'acme.com',
      fromAddress: 'hello@acme.com',
      firstEmail: { recipient: 'ada@example.net', subject: 'Welcome', body: 'It works.' },
    }),
  });
