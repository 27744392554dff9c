// A Worker that is killed before or after the note, the request, the answer and the register: each tenant has one of each at the
// provider, and after an undo none but what the report calls kept.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { markOf } from '../../src/activities/onboarding/operator-accounts.ts';
import { onboardingParts } from '../../src/client/onboarding/onboarding-parts.ts';
import { startRelay } from '../../src/conformance/relay.ts';
import { openFake, simulated } from '../../src/conformance/targets/fake-target.ts';
import { installationIdOf } from '../../src/lib/sql/installation-id.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createSqlApiKeyClaims } from '../../src/store/onboarding/sql-api-key-claims.ts';
import { createSqlProviderEvents } from '../../src/store/onboarding/sql-provider-events.ts';
import { createSqlProviderIntents } from '../../src/store/onboarding/sql-provider-intents.ts';
import { createSqlRegister } from '../../src/store/onboarding/sql-register.ts';
import { createSqlWatchedDomains } from '../../src/store/upkeep/sql-watched-domains.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { seededChances } from '../support/seeded-chances.ts';
import { devServer } from '../support/temporal.ts';
import { inputOf } from '../support/valid-input.ts';
import { newDataFolder, startSendoffWith } from './running-sendoff.ts';

/** By hand with 200, for as long as it takes. */
const KILLS = Number(process.env['OPERATOR_ACCOUNT_KILLS'] ?? 3);
const TENANTS = Number(process.env['OPERATOR_ACCOUNT_TENANTS'] ?? 4);
const REQUESTS_PER_SECOND = 10;
/** Between an answer and the kill after it: the note of the answer and the register's row are written meanwhile. */
const AFTER_ANSWER_MS = 40;

test.each(simulated)(
  'each tenant has one of each at %s, and after an undo none',
  async (provider) => {
    const farEnd = await openFake(provider);
    const relay = await startRelay(farEnd.url);
    const server = await devServer({ searchAttributes: searchAttributeKeys });
    const data = newDataFolder();
    const databaseUrl = `file:${join(data, 'sendoff.db')}`;
    const startWorker = async () => {
      const worker = await startSendoffWith(
        {
          TEMPORAL_ADDRESS: server.address,
          TEMPORAL_NAMESPACE: server.namespace,
          SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: server.namespace,
          SENDOFF_API_TOKEN: randomBytes(32).toString('base64url'),
          SENDOFF_SECRET_KEY: Buffer.alloc(32).toString('base64'),
          SENDOFF_DATABASE_URL: databaseUrl,
          SENDOFF_PUBLIC_URL: 'https://sendoff.example',
          EMAIL_PROVIDER: provider,
          ...farEnd.settings({ url: relay.url, requestsPerSecond: REQUESTS_PER_SECOND }),
          DNS_RESOLVERS: farEnd.dns.address,
          DNS_PORT: String(farEnd.dns.port),
          ALLOW_PRIVATE_ADDRESSES: 'true',
        },
        'worker',
      );
      await worker.printed(/./);
      return worker;
    };
    const kinds: string[] = [];
    const died = () => worker.child.killed;
    let refused = 0;
    const accepted: number[] = [];
    let worker = await startWorker();
    const chances = seededChances(Number(process.env['OPERATOR_ACCOUNT_SEED'] ?? 1));
    let untilKill = 3;
    relay.fault = () => {
      if (died()) return { when: 'before', answer: 'reset' };
      const now = performance.now();
      if (accepted.filter((at) => at > now - 1_000).length >= REQUESTS_PER_SECOND) {
        refused += 1;
        return { when: 'before', answer: { status: 429, body: '{}', headers: { 'retry-after': '1' } } };
      }
      accepted.push(now);
      untilKill -= 1;
      if (untilKill > 0 || kinds.length >= KILLS) return undefined;
      untilKill = Math.ceil(chances.between(0, 8));
      const kind = (['before', 'after', 'answered'] as const)[kinds.length % 3] ?? 'before';
      kinds.push(kind);
      if (kind === 'answered') {
        setTimeout(() => worker.child.kill('SIGKILL'), chances.between(0, AFTER_ANSWER_MS));
        return undefined;
      }
      worker.child.kill('SIGKILL');
      return { when: kind, answer: 'reset' };
    };
    const database = await openDatabase(databaseUrl);
    const installationId = await installationIdOf(database);
    const register = createSqlRegister(database);
    const events = createSqlProviderEvents(database);
    // As a server does with the provider's webhooks.
    farEnd.onEvents?.((received) => events.store(provider, received));
    const { onboardings } = onboardingParts(server.environment.client, {
      register,
      intents: createSqlProviderIntents(database),
      claims: createSqlApiKeyClaims(database, createSealer([Buffer.alloc(32)])),
      watchedDomains: createSqlWatchedDomains(database, register),
      ...{ uiUrl: undefined, provider },
    });
    const inputs = Array.from({ length: TENANTS }, (_, at) => {
      const { firstEmail, ...input } = inputOf(`tenant-${at}`);
      return {
        ...input,
        firstEmail: { ...firstEmail, recipient: farEnd.recipient(`tenant-${at}`, 'delivered') ?? '' },
      };
    });
    const [cancelled, ...onboarded] = inputs;
    const nothing = Object.fromEntries(Object.keys(farEnd.whole).map((name) => [name, 0]));
    const heldBy = ({ tenantId, domain, firstEmail: { recipient } }: (typeof inputs)[number]) =>
      farEnd.held({ tenantId, mark: markOf(tenantId, { installationId }), domain, recipient });
    const over = new AbortController();
    // Its zone stays empty. Another Worker starts when one has died.
    const living = (async () => {
      while (!over.signal.aborted) {
        if (died()) {
          await worker.ended;
          worker = await startWorker();
        }
        for (const { tenantId, domain } of onboarded) {
          const records = (await register.get(tenantId))?.onboarding.records ?? [];
          if (records.length > 0) await farEnd.publish(domain, records);
        }
        await pause(200);
      }
    })();
    const outcomes = async (): Promise<string[]> =>
      Promise.all(inputs.map(async ({ tenantId }) => (await register.get(tenantId))?.outcome ?? 'running'));
    try {
      for (const input of inputs) expect((await onboardings.start(input)).kind).toBe('started');
      await expect.poll(async () => (await heldBy(cancelled!)).domains, { timeout: 300_000, interval: 200 }).toBe(1);
      await onboardings.cancel(cancelled!.tenantId);
      await expect
        .poll(outcomes, { timeout: 60_000 + KILLS * 60_000, interval: 500 })
        .toEqual(['cancelled', ...onboarded.map(() => 'onboarded')]);
      for (const input of onboarded) expect(await heldBy(input)).toEqual(farEnd.whole);
      const { undo = [] } = (await register.get(cancelled!.tenantId))?.onboarding ?? {};
      const isKept = undo.some(({ result }) => result === 'kept');
      if (!isKept) expect(await heldBy(cancelled!)).toEqual(nothing);
      // A new Worker does not know what the killed one has just sent.
      expect(refused).toBeLessThanOrEqual((KILLS + 1) * REQUESTS_PER_SECOND);
      expect(kinds.length).toBe(KILLS);
    } finally {
      over.abort();
      await living.catch(() => undefined);
      worker.child.kill('SIGKILL');
      await worker.ended;
      await database.destroy();
      await relay.stop();
      await farEnd.close();
      await server.stop();
      rmSync(data, { recursive: true });
    }
  },
  120_000 + KILLS * 60_000,
);
