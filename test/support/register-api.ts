import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { onboardingParts } from '../../src/client/onboarding/onboarding-parts.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import { createSqlSecretStore } from '../../src/store/secret-store.ts';
import { createSqlSetupLinks } from '../../src/store/onboarding/setup-links.ts';
import { createSqlProviderEvents } from '../../src/store/onboarding/provider-events.ts';
import { spfRecord } from '../onboarding/dns-operators/records.ts';
import { appearance, httpDependencies } from './http-dependencies.ts';
import { API_TOKEN } from './http-requests.ts';
import { openTestRegister, type TestRegister } from './test-register.ts';
import { inputOf } from './valid-input.ts';

export interface RegisterApi extends TestRegister {
  readonly url: string;
  readonly token: string;
  /** For the commands. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The real HTTP API over a real register. Its Temporal does not answer. */
export async function startRegisterApi(): Promise<RegisterApi> {
  const opened = await openTestRegister();
  const connection = Connection.lazy({ address: `127.0.0.1:${await freePort()}` });
  const api = await serveRegister(opened, new Client({ connection }));
  return {
    ...opened,
    ...api,
    async end() {
      await api.end();
      await connection.close();
      await opened.end();
    },
  };
}

/** The same over a register that a test has opened. */
export async function serveRegister(
  opened: Omit<TestRegister, 'end'>,
  client: Client,
): Promise<Pick<RegisterApi, 'url' | 'token' | 'environment' | 'end'>> {
  const app = buildHttpApp(
    httpDependencies({
      ...onboardingParts(client, { ...opened, uiUrl: undefined }),
      setupLinks: createSqlSetupLinks(opened.database, [randomBytes(32)]),
      providerWebhooks: { readers: {}, events: createSqlProviderEvents(opened.database) },
      setupPage: { baseUrl: undefined, appearance },
      secrets: createSqlSecretStore(opened.database, opened.sealer),
    }),
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    token: API_TOKEN,
    environment: { SENDOFF_URL: url, SENDOFF_API_TOKEN: API_TOKEN },
    end: () => app.close(),
  };
}

/** The address of a new link to the tenant's setup page. */
export async function newSetupLink({ url, token }: RegisterApi, tenantId: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/onboardings/${tenantId}/setup-link`, { method: 'POST', headers });
  return ((await answer.json()) as { url: string }).url;
}

/** A required record that is not published. */
export const requiredRecord = (domain: string, changes: Partial<DnsRecord> = {}): DnsRecord => ({
  ...spfRecord,
  ...{ name: `bounce.${domain}`, host: 'bounce', zone: domain, value: 'v=spf1 ip4:192.0.2.1 -all' },
  findings: [{ code: 'not_published', name: `bounce.${domain}`, fix: 'Publish the record' }],
  ...changes,
});

/** Records an onboarding that waits for its domain, and its first check. */
export async function recordWaiting(
  { register }: Pick<TestRegister, 'register'>,
  tenantId: string,
  record: Partial<DnsRecord> = {},
): Promise<void> {
  const startedWith = inputOf(tenantId);
  const at = new Date().toISOString();
  const run = { tenantId, attemptId: `attempt-of-${tenantId}`, runId: `run-of-${tenantId}`, at };
  const onboarding = {
    ...newOnboarding(startedWith),
    stage: Stage.awaitingDomain,
    stages: [{ stage: Stage.awaitingDomain, at }],
    keyId: `key_${tenantId}`,
    domainId: `dom_${tenantId}`,
    verificationDeadline: new Date(Date.parse(at) + 3 * 86_400_000).toISOString(),
  };
  await register.begin({ ...run, startedAt: at, startedWith, onboarding });
  await register.note(run, { records: [requiredRecord(startedWith.domain, record)] }, at);
}
