import { createSealer } from '../../src/lib/sealing.ts';
import { apiKeyRef } from '../../src/onboarding/onboarding-ids.ts';
import { openDatabase } from '../../src/store/database.ts';
import { putIssued } from '../../src/store/issued-secret.ts';
import { createSqlSecretStore } from '../../src/store/secret-store.ts';
import { createCaller } from '../caller.ts';
import { startInfrastructure } from '../infrastructure.ts';
import { inputOf } from '../onboarding/input-of.ts';
import { startOrchestrator } from '../onboarding/start-orchestrator.ts';
import type { Bench, Lines } from '../scenario.ts';
import { CALLS_MAX, measureGrowth } from './measure-growth.ts';
import { copyRow, padded, settle } from './seed.ts';

const ORIGINAL = 'original';
const LONG_AGO = '2026-01-01T00:00:00.000Z';

/**
 * The calls of a backend and of operators, at `sendoff server`. Of a hundred onboardings 89 have succeeded, 10 have failed, and one
 * waits; of 200 one has a mistake in its DNS.
 */
export async function measureOrchestrator(bench: Bench): Promise<Lines> {
  const { signal } = bench;
  const infrastructure = await startInfrastructure(bench);
  const database = await openDatabase(infrastructure.databases.orchestrator, { statementTimeoutMs: 0 });
  bench.closers.add(() => database.destroy());
  const { url, apiToken, secretKey } = await startOrchestrator(bench, infrastructure, {
    providerUrl: 'http://127.0.0.1:1',
    programs: ['server'],
  });
  const caller = createCaller({ url, token: apiToken });
  bench.closers.add(() => caller.close());
  await caller.put(`/onboardings/${ORIGINAL}`, inputOf(ORIGINAL));
  await database
    .insertInto('onboarding_findings')
    .values({ tenant_id: ORIGINAL, code: 'mx_missing', started_at: LONG_AGO })
    .execute();

  const secrets = createSqlSecretStore(database, createSealer([Buffer.from(secretKey, 'base64')]));
  const claimable: string[] = [];
  const id = `'seed-' || ${padded(database)}`;
  const original = `original.tenant_id = '${ORIGINAL}'`;
  const startedAt = (number: string): string => `'2026-01-0' || (1 + ${number} % 9) || 'T00:00:00.000Z'`;
  const isWaiting = 'n % 100 = 99';
  const isFailed = 'n % 10 = 0';
  async function seed(from: number, to: number): Promise<void> {
    const range = { from, to, original, signal };
    await copyRow(database, {
      ...{ ...range, table: 'onboardings' },
      differing: {
        ...{ tenant_id: id, attempt_id: id, domain: `'seed-' || n || '.example.com'` },
        ...{ started_at: startedAt('n'), stage_since: startedAt('n') },
        outcome: `case when ${isWaiting} then 'running' when ${isFailed} then 'failed' else 'onboarded' end`,
        stage: `case when ${isWaiting} then 'awaitingDomain' when ${isFailed} then 'undoing' else 'done' end`,
        exit: `case when ${isFailed} then 'F1' end`,
        needs_attention: 'case when n % 200 = 199 then 1 else 0 end',
        ended_at: `case when ${isWaiting} then null else '2026-01-10T00:00:00.000Z' end`,
        onboarding: `replace(original.onboarding, '"keyId":null', '"keyId":"key_1"')`,
      },
    });
    await copyRow(database, {
      ...{ table: 'onboarding_findings', original, signal, from: Math.ceil(from / 200), to: Math.ceil(to / 200) },
      differing: {
        tenant_id: `'seed-' || ${padded(database, 'n * 200 + 199')}`,
        started_at: startedAt('(n * 200 + 199)'),
      },
    });
    await copyRow(database, {
      ...{ ...range, table: 'onboarding_events' },
      original: `original.id = (select min(id) from onboarding_events where tenant_id = '${ORIGINAL}')`,
      differing: { event_id: `'evt_' || ${padded(database)}`, tenant_id: id, attempt_id: id },
    });
    await settle(database);
    claimable.length = 0;
    for (let n = from; claimable.length < CALLS_MAX && n < to; n++) {
      if (n % 10 === 0 || n % 100 === 99) continue;
      const tenantId = `seed-${String(n).padStart(26, '0')}`;
      await putIssued(secrets, apiKeyRef(tenantId), { id: 'key_1', secret: 'token' });
      claimable.push(tenantId);
    }
  }

  const list = (query: string) => () => caller.get(`/onboardings?${query}`);
  return measureGrowth(
    bench,
    {
      '`PUT /onboardings/{tenantId}`': (number) => caller.put(`/onboardings/new-${number}`, inputOf(`new-${number}`)),
      '`GET /onboardings/{tenantId}`': () => caller.get(`/onboardings/${ORIGINAL}`),
      '`POST …/api-key/claim`': () =>
        caller.post(`/onboardings/${claimable.pop() ?? ''}/api-key/claim`, { by: 'the bench' }),
      '`GET /onboardings`': list(''),
      '`GET /onboardings?outcome=failed`': list('outcome=failed'),
      '`GET /onboardings?needs_attention=true`': list('needs_attention=true'),
      '`GET /onboardings?finding=mx_missing`': list('finding=mx_missing'),
      '`GET /onboardings?waiting_longer_than=24h`': list('waiting_longer_than=24h'),
      '`GET /onboardings?q=seed-123.example` (one)': list('q=seed-123.example'),
      '`GET /onboardings?q=example` (all)': list('q=example'),
    },
    seed,
  );
}
