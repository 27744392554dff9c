// A Worker that is killed before or after the note, the request, the answer and the register, and at each provider before and after the
// request that sends an email: each tenant has one of each, and after an undo none but what the report calls kept.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { markOf } from '../../src/activities/onboarding/operator-accounts.ts';
import { onboardingParts } from '../../src/client/onboarding/onboarding-parts.ts';
import type { Resource } from '../../src/conformance/far-end.ts';
import { startRelay } from '../../src/dev/relay.ts';
import { openFake } from '../../src/conformance/targets/fake-target.ts';
import { installationIdOf } from '../../src/lib/sql/installation-id.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import type { OnboardTenantInput } from '../../src/onboarding/input.ts';
import type { OnboardingOutcome } from '../../src/onboarding/onboarding-record.ts';
import { type ProviderName, providerNames } from '../../src/onboarding/provider-name.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import type { StepName } from '../../src/onboarding/steps.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createSqlApiKeyClaims } from '../../src/store/onboarding/sql-api-key-claims.ts';
import { createSqlProviderEvents } from '../../src/store/onboarding/provider-events.ts';
import { createSqlProviderIntents } from '../../src/store/onboarding/provider-intents.ts';
import { createSqlRegister } from '../../src/store/onboarding/sql-register.ts';
import { createSqlWatchedDomains } from '../../src/store/upkeep/sql-watched-domains.ts';
import { seededChances } from '../support/seeded-chances.ts';
import { sharedDevServer, type TestServer } from '../support/temporal.ts';
import { inputOf } from '../support/valid-input.ts';
import { newDataFolder, startSendoffWith } from './running-sendoff.ts';

/** Of each provider, whose first kill is of another kind. By hand with 200, in rounds of 20 tenants: OPERATOR_ACCOUNT_KILLS=200 OPERATOR_ACCOUNT_TENANTS=20. It takes half an hour for each provider. */
const KILLS = Number(process.env['OPERATOR_ACCOUNT_KILLS'] ?? 1);
const TENANTS = Number(process.env['OPERATOR_ACCOUNT_TENANTS'] ?? 4);
const REQUESTS_PER_SECOND = 10;
/** In no other request. */
const SUBJECT = 'First email of an onboarding';
/** One of so many is cancelled. */
const EACH_CANCELLED = 4;
const cancelledIn = [Stage.creatingSender, Stage.awaitingDomain, Stage.registeringDomain, Stage.issuingKey] as const;
const ROUND_MS = 300_000 + KILLS * 60_000;
/** What a step makes at a provider. */
const resourcesOf: Readonly<Record<StepName, readonly Resource[]>> = {
  issueApiKey: ['accounts', 'api-keys'],
  registerWebhook: ['webhooks'],
  registerDomain: ['domains'],
  createSender: ['senders', 'api-keys'],
  sendFirstEmail: ['emails'],
};
/** Kills at the first requests that send an email, beside the others: chance may never meet them. */
const killsOfSend = ['before', 'after'] as const;
/** Of the others, one after the other. */
const kinds = ['before', 'after', 'answered'] as const;
const ALL_KILLS = KILLS + killsOfSend.length;
/** Between an answer and the kill after it: the note of the answer and the register's row are written meanwhile. */
const AFTER_ANSWER_MS = 40;

/** One server, with a Namespace for each: a Worker that starts again is what costs. */
const servers = new Map<ProviderName, TestServer>();
beforeAll(async () => {
  for (const provider of providerNames) servers.set(provider, await sharedDevServer());
});

// Most of their time is waiting for what a killed Worker had begun.
test.concurrent.each(providerNames)(
  'each tenant has one of each at %s, and after an undo none',
  async (provider) => {
    const farEnd = await openFake(provider);
    const relay = await startRelay(farEnd.url);
    const server = servers.get(provider) ?? expect.fail();
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
    const kills: { readonly kind: string; readonly request: string }[] = [];
    const died = () => worker.child.killed;
    let sends = 0;
    let refused = 0;
    const accepted: number[] = [];
    let worker = await startWorker();
    const chances = seededChances(Number(process.env['OPERATOR_ACCOUNT_SEED'] ?? 1));
    let untilKill = 3;
    relay.fault = ({ method, path, requestBody }) => {
      if (died()) return { when: 'before', answer: 'reset' };
      const now = performance.now();
      if (accepted.filter((at) => at > now - 1_000).length >= REQUESTS_PER_SECOND) {
        refused += 1;
        return { when: 'before', answer: { status: 429, body: '{}', headers: { 'retry-after': '1' } } };
      }
      accepted.push(now);
      const killOfSend = requestBody.includes(SUBJECT) ? killsOfSend[sends++] : undefined;
      if (killOfSend !== undefined) {
        kills.push({ kind: `${killOfSend} the send`, request: `${method} ${path}` });
        worker.child.kill('SIGKILL');
        return { when: killOfSend, answer: 'reset' };
      }
      untilKill -= 1;
      const others = kills.length - Math.min(sends, killsOfSend.length);
      if (untilKill > 0 || others >= KILLS) return undefined;
      untilKill = Math.ceil(chances.between(0, 8));
      const kind = kinds[(others + providerNames.indexOf(provider)) % kinds.length] ?? 'before';
      kills.push({ kind, request: `${method} ${path}` });
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
    const heldBy = ({ tenantId, domain, firstEmail: { recipient } }: OnboardTenantInput) =>
      farEnd.held({ tenantId, mark: markOf(tenantId, { installationId }), domain, recipient });
    const over = new AbortController();
    /** Whose zone is not empty. */
    const publishing: OnboardTenantInput[] = [];
    // Another Worker starts when one has died.
    const living = (async () => {
      while (!over.signal.aborted) {
        if (died()) {
          await worker.ended;
          worker = await startWorker();
        }
        for (const { tenantId, domain } of publishing) {
          const records = (await register.get(tenantId))?.onboarding.records ?? [];
          if (records.length > 0) await farEnd.publish(domain, records);
        }
        await pause(200);
      }
    })();
    const figures = { onboarded: 0, cancelled: 0, unknown: 0, kept: 0 };

    /** Where the onboarding ended; `unknown`: a kill lost the request to send its email, which waits for a day. */
    const endOf = async (input: OnboardTenantInput): Promise<'running' | 'unknown' | OnboardingOutcome> => {
      const record = await register.get(input.tenantId);
      if (record?.outcome !== 'running') return record?.outcome ?? 'running';
      const isUnknown = record.waiting?.message.includes('may have accepted the email') === true;
      return isUnknown && (await heldBy(input)).emails === 0 ? 'unknown' : 'running';
    };

    async function cancelIn(stage: Stage, { tenantId }: OnboardTenantInput): Promise<void> {
      const stages = async () => (await register.get(tenantId))?.onboarding.stages.map(({ stage: one }) => one);
      await expect.poll(stages, { timeout: ROUND_MS, interval: 100 }).toContain(stage);
      await onboardings.cancel(tenantId);
    }

    async function playRound(round: number): Promise<void> {
      const inputs = Array.from({ length: TENANTS }, (_, at): OnboardTenantInput => {
        const { firstEmail, ...input } = inputOf(`tenant-${round}-${at}`);
        const recipient = farEnd.recipient(input.tenantId, 'delivered') ?? '';
        return { ...input, firstEmail: { ...firstEmail, recipient, subject: SUBJECT } };
      });
      const cancellations = inputs.flatMap((input, at) => {
        if (at % EACH_CANCELLED > 0) return [];
        const stage = cancelledIn[(round + at / EACH_CANCELLED) % cancelledIn.length] ?? Stage.awaitingDomain;
        return [{ input, stage }];
      });
      const withoutZone = cancellations.flatMap(({ input, stage }) => (stage === Stage.creatingSender ? [] : [input]));
      publishing.push(...inputs.filter((input) => !withoutZone.includes(input)));
      for (const input of inputs) expect((await onboardings.start(input)).kind).toBe('started');
      await Promise.all(cancellations.map(({ input, stage }) => cancelIn(stage, input)));
      const running = async () => {
        const ends = await Promise.all(inputs.map(async (input) => [input.tenantId, await endOf(input)] as const));
        return ends.filter(([, end]) => end === 'running');
      };
      await expect.poll(running, { timeout: ROUND_MS, interval: 500 }).toEqual([]);
      for (const input of inputs) {
        const [end, held, record] = [await endOf(input), await heldBy(input), await register.get(input.tenantId)];
        const { undo = [] } = record?.onboarding ?? {};
        const kept = undo.filter(({ result }) => result === 'kept').map(({ step }) => step);
        const mayBeThere = kept.flatMap((step) => resourcesOf[step]);
        if (end === 'cancelled') {
          expect(undo.filter(({ result }) => result === 'failed')).toEqual([]);
          const more = Object.entries(held).filter(
            ([name, count]) =>
              count > (mayBeThere.includes(name as Resource) ? (farEnd.whole[name as Resource] ?? 0) : 0),
          );
          expect(more, `${input.tenantId}: ${JSON.stringify(undo)}`).toEqual([]);
          figures.cancelled += 1;
          figures.kept += kept.length === 0 ? 0 : 1;
          continue;
        }
        expect(['onboarded', 'unknown'], JSON.stringify(record?.failure)).toContain(end);
        expect(held, `${input.tenantId} is ${end}`).toEqual({
          ...farEnd.whole,
          ...(end === 'unknown' && { emails: 0 }),
        });
        figures[end === 'unknown' ? 'unknown' : 'onboarded'] += 1;
      }
    }

    let rounds = 0;
    try {
      do {
        rounds += 1;
        await playRound(rounds);
      } while (kills.length < ALL_KILLS);
      // A new Worker does not know what the killed one has just sent.
      expect(refused).toBeLessThanOrEqual((ALL_KILLS + 1) * REQUESTS_PER_SECOND);
      expect(kills.length).toBe(ALL_KILLS);
    } finally {
      console.log(
        provider,
        JSON.stringify({ ...figures, rounds, requests: relay.exchanges.length, refused, ...countsOf(kills) }),
      );
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
  2 * ROUND_MS,
);

/** How many of each kind, and how many different requests were hit. */
function countsOf(kills: readonly { readonly kind: string; readonly request: string }[]): object {
  const kinds: Record<string, number> = {};
  for (const { kind } of kills) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const withoutIds = (request: string): string => request.replace(/\?.*/, '').replace(/\/[^/]*[0-9][^/]*/g, '/ID');
  const requests = new Set(kills.map(({ request }) => withoutIds(request)));
  return { kills: kills.length, kinds, requestsHit: [...requests].toSorted() };
}
