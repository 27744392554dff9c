import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asActivity } from '../../../src/email-service/activities/attempt-context.ts';
import { createCheckDomain } from '../../../src/email-service/activities/check-domain.ts';
import type { DomainRecord } from '../../../src/email-service/resources/domain.ts';
import { verifyDomainStart } from '../../../src/email-service/store/outbox.ts';
import { checkNowSignal } from '../../../src/email-service/workflows/messages.ts';
import type { DomainCheck } from '../../../src/lib/dns/domain-check.ts';
import { startWorkflow, withWorkflows } from '../support/email-service-workflows.ts';
import { processParts } from '../support/process-parts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { signalWith, unreadable } from '../../support/unreadable-signals.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let prepared: TestStore;
beforeEach(async () => {
  prepared = await openTestStore();
});
afterEach(() => prepared.end());

describe('a domain that is never verified', () => {
  const look: DomainCheck = {
    domain: 'acme.test',
    zone: 'acme.test',
    verified: false,
    conclusive: true,
    records: [],
  };

  const foundRecords = async (): Promise<DomainCheck['records']> => {
    const { records } = await prepared.store.selectFrom('domains').select('records').executeTakeFirstOrThrow();
    return (JSON.parse(records) as DomainRecord[]).map(({ purpose, type, name, host }) => ({
      ...{ purpose, type, name, host, zone: 'acme.test', nameServers: [] },
      ...{ status: 'found', found: [], findings: [] },
    }));
  };

  test('is checked for 30 days, with one Activity in the history', async () => {
    let looks = 0;
    const checkDomain = asActivity(
      createCheckDomain({
        ...processParts(prepared),
        checkRecords: async () => {
          looks += 1;
          return look;
        },
      }),
    );
    await withWorkflows({ checkDomain }, async (server) => {
      const { domainId } = prepared;
      const startedAt = await server.environment.currentTimeMs();
      const handle = await startWorkflow(server, verifyDomainStart(domainId));
      expect(await handle.result()).toEqual({ domainId, outcome: 'notVerified' });
      const tookMs = ((await handle.describe()).closeTime?.getTime() ?? 0) - startedAt;
      expect(tookMs / DAY_MS).toBeCloseTo(30, 1);
      expect(looks).toBeGreaterThan(600);
      expect(looks).toBeLessThan(1_000);
      expect((await handle.fetchHistory()).events?.length).toBeLessThan(20);
    });
  });

  test('is checked on request, before its next check is due', async () => {
    let published = false;
    const looks: number[] = [];
    await withWorkflowsOf(
      async (clock) => {
        looks.push(await clock());
        return published ? { ...look, verified: true, records: await foundRecords() } : look;
      },
      async (server) => {
        const { environment } = server;
        const { domainId } = prepared;
        const handle = await startWorkflow(server, verifyDomainStart(domainId));
        await environment.sleep('10 days');
        const before = looks.length;
        published = true;
        const askedAt = await environment.currentTimeMs();
        for (const payloads of unreadable) await signalWith(handle, checkNowSignal.name, payloads);
        await handle.signal(checkNowSignal);
        expect(await handle.result()).toEqual({ domainId, outcome: 'verified' });
        expect(looks).toHaveLength(before + 1);
        expect((looks.at(-1) ?? 0) - askedAt).toBeLessThan(60_000);
      },
    );
  });

  test('that was deleted is no longer checked', async () => {
    await prepared.store.updateTable('domains').set({ deleted_at: new Date().toISOString() }).execute();
    await withWorkflowsOf(
      async () => look,
      async (server) => {
        const { domainId } = prepared;
        const handle = await startWorkflow(server, verifyDomainStart(domainId));
        expect(await handle.result()).toEqual({ domainId, outcome: 'deleted' });
      },
    );
  });

  async function withWorkflowsOf(
    lookAt: (clock: () => Promise<number>) => Promise<typeof look>,
    use: Parameters<typeof withWorkflows>[1],
  ): Promise<void> {
    let clock = async (): Promise<number> => 0;
    const checkDomain = asActivity(
      createCheckDomain({ ...processParts(prepared), checkRecords: () => lookAt(() => clock()) }),
    );
    await withWorkflows({ checkDomain }, async (server) => {
      clock = () => server.environment.currentTimeMs();
      await use(server);
    });
  }
});
