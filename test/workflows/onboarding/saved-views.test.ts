// On the real server, because the time-skipping one has no lists.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createEndedOnboardings } from '../../../src/client/onboarding/ended-onboardings.ts';
import type { ProviderRecord } from '../../../src/email-provider/email-provider.ts';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { inputOf, manyOnboardings, recipientOf } from '../../support/onboarding-environment.ts';

const operating = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
/** The queries that docs/operating.md gives, by the name of their view. */
const views = new Map(
  [...operating.matchAll(/^\| (.+) \| `(\w+ (?:IS|=|<|IN) .+)` \|$/gm)].map(([, view = '', query = '']) => [
    view,
    query,
  ]),
);

const wrong: Partial<ProviderRecord> = {
  status: 'wrong',
  findings: [{ code: 'host_doubled', name: 'k1._domainkey.mistaken.test', found: [], fix: 'Correct the host' }],
};
const mistaken = ['mistaken', 'stopped'];
const pending = [...mistaken, 'waiting', 'late'];

/** Which tenants each view lists, of those that the test starts. */
const listed: Record<string, string[]> = {
  "needs attention: a mistake in the tenant's DNS": ['mistaken'],
  'one kind of mistake': ['mistaken'],
  "waits for the tenant's DNS": ['mistaken', 'waiting'],
  'has a window that closes before a time': ['mistaken', 'waiting'],
  'started before a time': ['delivering', 'mistaken', 'stuck', 'waiting'],
  'has not registered its domain': [],
  'cannot create its sender or send its first email': ['stuck'],
  'waits for the delivery of the first email': ['delivering'],
  'undoes what it created': [],
  'failed, with any exit or none': ['late'],
  'failed with F1': ['late'],
  'terminated: nothing was undone': ['stopped'],
  'AGENTS.md checks that fail': [],
  'AGENTS.md checks that changed the outcome': [],
};

test('each view of docs/operating.md lists exactly its tenants, and the sweep those that run', async () => {
  expect([...views.keys()]).toEqual(Object.keys(listed));
  await manyOnboardings(
    {
      before: (call, tenantId) => {
        if (tenantId === 'stuck' && call === 'createSender') throw new ProviderUnreachable('POST /senders', 'reset');
      },
      verified: (tenantId) => !pending.includes(tenantId),
      record: (domain) => (mistaken.some((tenantId) => domain === `${tenantId}.test`) ? wrong : {}),
      outcome: (recipient) =>
        recipient === recipientOf('delivering') ? 'queued' : { status: 'delivered', deliveredAt: null },
    },
    async ({ start, server: { environment } }) => {
      const { workflow } = environment.client;
      const handles = new Map(
        await Promise.all(
          ['delivering', 'done', 'late', 'stuck', ...pending.filter((tenantId) => tenantId !== 'late')].map(
            async (tenantId) => {
              const overrides = tenantId === 'late' ? { verificationWindow: '2 seconds' } : {};
              return [tenantId, await start(inputOf(tenantId, overrides))] as const;
            },
          ),
        ),
      );
      const tenantsOf = async (query: string): Promise<string[]> => {
        // The documented time stands for one of the operator's: here, all are younger and all windows close before.
        const later = query.replace(/"\d{4}-[^"]+"/, `"${new Date(Date.now() + 100 * 3_600_000).toISOString()}"`);
        const tenants: string[] = [];
        for await (const { workflowId } of workflow.list({ query: later }))
          tenants.push(workflowId.split('/')[1] ?? '');
        return tenants.toSorted();
      };
      await expect
        .poll(() => tenantsOf('SendoffFinding = "host_doubled"'), { timeout: 30_000 })
        .toEqual(mistaken.toSorted());
      await handles.get('stopped')?.terminate();
      for (const [view, query] of views) {
        await expect.poll(() => tenantsOf(query), { message: view, timeout: 30_000 }).toEqual(listed[view]);
      }
      // What the sweep asks.
      const ended = createEndedOnboardings(environment.client);
      const tenants = [...handles.keys(), 'unknown'];
      expect(await ended.listedAsRunning(tenants)).toEqual(new Set(['delivering', 'mistaken', 'stuck', 'waiting']));
      expect(await ended.recentlyTerminated(10)).toEqual(['stopped']);
      for (const handle of handles.values()) await handle.terminate().catch(() => undefined);
    },
  );
});
