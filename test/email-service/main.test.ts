import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readEmailServiceConfig, type EmailServiceConfig } from '../../src/email-service/config.ts';
import { startEmailService, type RunningEmailService } from '../../src/email-service/main.ts';
import { startDnsServer } from '../../src/dev/world/dns-server.ts';
import { worldZones } from '../../src/dev/world/world-zones.ts';
import type { DomainResource } from '../../src/email-service/resources/domain.ts';
import type { OperatorToken } from '../../src/email-service/auth/operator-token.ts';
import { openStore } from '../../src/email-service/store/open-store.ts';
import { verifyDomainStart } from '../../src/email-service/store/outbox.ts';
import { emailServiceNames } from '../../src/email-service/workflows/email-service-names.ts';
import { installationIdOf } from '../../src/lib/sql/installation-id.ts';
import { devServer, type TestServer } from '../support/temporal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let temporal: TestServer;
beforeAll(async () => {
  temporal = await devServer({ searchAttributes: [] });
});
afterAll(() => temporal.stop());

let folder: string;
let service: RunningEmailService | undefined;
const encryptionKey = randomBytes(32).toString('base64');
const logger = pino({ level: 'silent' });
/** Where a reserved name may be a sending domain. */
const closedNetwork = { ALLOW_PRIVATE_ADDRESSES: 'true' };

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const config = (changes: Readonly<Record<string, string>> = {}): EmailServiceConfig =>
  readEmailServiceConfig({
    EMAIL_SERVICE_PORT: '0',
    EMAIL_SERVICE_DATABASE_URL: `file:${join(folder, 'email-service.db')}`,
    EMAIL_SERVICE_ENCRYPTION_KEY: encryptionKey,
    EMAIL_SERVICE_HOSTNAME: 'mail.service.test',
    EMAIL_SERVICE_SPF_MECHANISM: 'ip4:127.0.0.1',
    EMAIL_SERVICE_TEMPORAL_NAMESPACE: temporal.namespace,
    DNS_RESOLVERS: '127.0.0.1:9',
    ...changes,
  });

const temporalAt = (address: string) => ({ connectionOptions: { address }, namespace: temporal.namespace });

async function start(
  changes?: Readonly<Record<string, string>>,
  made: OperatorToken[] = [],
): Promise<{ made: OperatorToken[] }> {
  service = await startEmailService(config(changes), {
    logger,
    temporal: temporalAt(temporal.address),
    announceOperatorToken: (token) => void made.push(token),
  });
  return { made };
}

async function verification(domainId: string) {
  const store = await openStore(config().databaseUrl);
  const { workflowId } = emailServiceNames(await installationIdOf(store));
  await store.destroy();
  return temporal.environment.client.workflow.getHandle(workflowId(verifyDomainStart(domainId).workflowId));
}

const url = (path: string): string => `${service?.url ?? ''}${path}`;
const ask = (path: string, token: string, body: object): Promise<Response> =>
  fetch(url(path), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('startEmailService', () => {
  test('listens, is ready, starts the Workflow of a new domain and stops cleanly', async () => {
    const { made } = await start(closedNetwork);
    const operator = service?.operatorTokens[0]?.token ?? '';
    expect(made).toEqual([
      { token: operator, source: `${join(folder, 'email-service.db')}.operator-token`, isNew: true },
    ]);
    await vi.waitFor(
      async () => {
        expect((await fetch(url('/readyz'))).status).toBe(200);
      },
      { timeout: 30_000 },
    );

    const { token } = (await (await ask('/api-keys', operator, { account: 'acme' })).json()) as { token: string };
    const domain = (await (await ask('/domains', token, { name: 'acme.test' })).json()) as { id: string };
    const handle = await verification(domain.id);
    await vi.waitFor(
      async () => {
        expect((await handle.describe()).status.name).toBe('RUNNING');
      },
      { timeout: 30_000 },
    );
    await handle.terminate();

    const address = url('/livez');
    await service?.stop();
    await expect(fetch(address)).rejects.toThrow();
    await expect(service?.run).resolves.toBeUndefined();
  });

  test('refuses an encryption key that decrypts nothing in its database, and starts if the former key is added', async () => {
    await start(closedNetwork);
    const operator = service?.operatorTokens[0]?.token ?? '';
    const { token } = (await (await ask('/api-keys', operator, { account: 'acme' })).json()) as { token: string };
    const { id } = (await (await ask('/domains', token, { name: 'acme.test' })).json()) as { id: string };
    const handle = await verification(id);
    await vi.waitFor(() => handle.terminate(), { timeout: 30_000 });
    await service?.stop();
    const another = randomBytes(32).toString('base64');
    await expect(start({ EMAIL_SERVICE_ENCRYPTION_KEY: another })).rejects.toThrow(
      'EMAIL_SERVICE_ENCRYPTION_KEY decrypts none of the secrets in file:',
    );
    await start({ EMAIL_SERVICE_ENCRYPTION_KEY: `${another},${encryptionKey}` });
  });

  test('shows hosts relative to the reported zone in the first response of POST /domains', async () => {
    const dns = await startDnsServer({ zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }) });
    await start({ DNS_RESOLVERS: dns.address, DNS_PORT: String(dns.port), ALLOW_PRIVATE_ADDRESSES: 'true' });
    const operator = service?.operatorTokens[0]?.token ?? '';
    const { token } = (await (await ask('/api-keys', operator, { account: 'globex' })).json()) as { token: string };
    const created = await ask('/domains', token, { name: 'mail.acme.test' });
    const { id, records } = (await created.json()) as DomainResource;
    await dns.stop();
    expect(records.map(({ host, zone }) => [host.replace(/^so\d+-\w+/, 'so'), zone])).toEqual([
      ['so._domainkey.mail', 'acme.test'],
      ['bounce.mail', 'acme.test'],
      ['bounce.mail', 'acme.test'],
      ['_dmarc.mail', 'acme.test'],
    ]);
    const handle = await verification(id);
    await vi.waitFor(() => handle.terminate(), { timeout: 30_000 });
  });

  test('queries no name server with a private address, unless its settings allow it', async () => {
    const dns = await startDnsServer({ zones: worldZones({ tenant: 'acme.com', recipient: 'inbox.test' }) });
    await start({ DNS_RESOLVERS: dns.address, DNS_PORT: String(dns.port) });
    const operator = service?.operatorTokens[0]?.token ?? '';
    const { token } = (await (await ask('/api-keys', operator, { account: 'globex' })).json()) as { token: string };
    const created = await ask('/domains', token, { name: 'mail.acme.com' });
    const { id, records } = (await created.json()) as DomainResource;
    await dns.stop();
    expect(new Set(records.map(({ zone }) => zone))).toEqual(new Set([null]));
    expect(new Set(dns.queries.map(({ recursionDesired }) => recursionDesired))).toEqual(new Set([true]));
    const handle = await verification(id);
    await vi.waitFor(() => handle.terminate(), { timeout: 30_000 });
  });

  test('keeps its accounts and operator token across starts, and announces the token only once', async () => {
    await start();
    const operator = service?.operatorTokens[0]?.token ?? '';
    const { token } = (await (await ask('/api-keys', operator, { account: 'acme' })).json()) as { token: string };
    await service?.stop();

    const { made } = await start();
    expect(made).toEqual([]);
    expect(service?.operatorTokens).toEqual([{ name: 'default', token: operator }]);
    const events = await fetch(url('/events'), { headers: { authorization: `Bearer ${token}` } });
    expect(events.status).toBe(200);
  });

  test('uses the operator token of its settings and writes no file', async () => {
    const { made } = await start({ EMAIL_SERVICE_OPERATOR_TOKEN: 'o'.repeat(40) });
    expect(made).toEqual([]);
    expect(service?.operatorTokens).toEqual([{ name: 'default', token: 'o'.repeat(40) }]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.operator-token'))).toEqual([]);
  });

  test('replaces its operator token without a moment in which the orchestrator is refused', async () => {
    const [old, next] = ['1'.repeat(32), '2'.repeat(32)] as const;
    const opens = async (token: string) => (await ask('/api-keys', token, { account: 'acme' })).status;
    const accepted: number[][] = [];
    for (const EMAIL_SERVICE_OPERATOR_TOKEN of [old, `new:${next},old:${old}`, next]) {
      await start({ EMAIL_SERVICE_OPERATOR_TOKEN });
      accepted.push([await opens(old), await opens(next), await opens(EMAIL_SERVICE_OPERATOR_TOKEN)]);
      await service?.stop();
    }
    expect(accepted).toEqual([
      [201, 401, 201],
      [201, 201, 401],
      [401, 201, 201],
    ]);
  });

  test('fails if its port is taken, stops what it had started, and can start on another port', async () => {
    const announced: OperatorToken[] = [];
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      await expect(start({ EMAIL_SERVICE_PORT: String(port) }, announced)).rejects.toThrow(
        'is in use by another program. Stop that program, or set EMAIL_SERVICE_PORT to another port',
      );
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
    await start({}, announced);
    expect((await fetch(url('/livez'))).status).toBe(200);
    // Announced once, although the start that generated it failed.
    expect(announced.map(({ token }) => token)).toEqual([service?.operatorTokens[0]?.token]);
  });

  test('fails if Temporal is unreachable', async () => {
    const away = startEmailService(config(), { logger, temporal: temporalAt('127.0.0.1:9') });
    await expect(away).rejects.toThrow();
  });
});
