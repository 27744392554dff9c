import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BatchInput } from '../../src/agents-md/batch.ts';
import type { CheckInput } from '../../src/agents-md/check-input.ts';
import { batchCheckWorkflowId, batchWorkflowId } from '../../src/agents-md/check-ids.ts';
import { createSqlCheckStore } from '../../src/store/agents-md/sql-check-store.ts';
import { openDatabase } from '../../src/store/database.ts';
import type { checkAgentsMdBatch } from '../../src/workflows/agents-md/check-agents-md-batch.ts';
import { batchProgressQuery, CHECK_TASK_QUEUE } from '../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { startLocalCodeHost } from '../support/local-code-host.ts';
import { devServer } from '../support/temporal.ts';
import { newDataFolder, startSendoffWith } from './running-sendoff.ts';

const REQUESTS_PER_SECOND = 10;
const content = 'How to build, test and change this project. '.repeat(10);

/** Of 110 producers 60 share 10 repositories, six each: 60 repositories. */
const producers: CheckInput[] = Array.from({ length: 110 }, (_, position) => {
  const organization = position < 60 ? `shared-${position % 10}` : `own-${position}`;
  return { producerId: `p-${position}`, organization, primaryRepository: 'main' };
});

test('a batch requests each repository once, keeps the rate, and resumes after SIGKILL with what was not answered', async () => {
  const host = await startLocalCodeHost();
  const arrivals: number[] = [];
  for (const { organization } of producers) {
    host.serve(`/${organization ?? ''}/main/HEAD/AGENTS.md`, (_, response) => {
      arrivals.push(performance.now());
      response.end(content);
    });
  }
  const server = await devServer({ searchAttributes: searchAttributeKeys });
  const data = newDataFolder();
  const startWorker = () =>
    startSendoffWith(
      {
        TEMPORAL_ADDRESS: server.address,
        TEMPORAL_NAMESPACE: server.namespace,
        SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: server.namespace,
        SENDOFF_API_TOKEN: randomBytes(32).toString('base64url'),
        SENDOFF_SECRET_KEY: Buffer.alloc(32).toString('base64'),
        SENDOFF_DATABASE_URL: `file:${join(data, 'sendoff.db')}`,
        EMAIL_PROVIDER_OPERATOR_TOKEN: 'not used here',
        AGENTS_MD_CONTACT: 'ops@example.com',
        AGENTS_MD_HOST_URLS: JSON.stringify({ 'github.com': host.urls }),
        AGENTS_MD_REQUESTS_PER_SECOND: String(REQUESTS_PER_SECOND),
      },
      'worker',
    );
  let worker = await startWorker();
  try {
    const { client } = server.environment;
    const batchId = 'large';
    const input: BatchInput = { batchId, producers };
    const handle = await client.workflow.start<typeof checkAgentsMdBatch>('checkAgentsMdBatch', {
      workflowId: batchWorkflowId(batchId),
      taskQueue: CHECK_TASK_QUEUE,
      args: [input],
    });
    while (host.requests.length < 25) await sleep(50);
    worker.child.kill('SIGKILL');
    await worker.ended;
    worker = await startWorker();
    const { done, entries } = await handle.result();
    expect(done).toBe(110);

    expect(await handle.query(batchProgressQuery, { after: 100 })).toMatchObject({ total: 110, done: 110 });
    expect(new Set(entries.map(({ producerId }) => producerId)).size).toBe(110);
    expect(entries.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
    const database = await openDatabase(`file:${join(data, 'sendoff.db')}`);
    const stored = await createSqlCheckStore(database).get('p-59');
    await database.destroy();
    expect(stored?.check.result.evidence?.url).toContain('/shared-9/main/');

    // Only a request whose answer had not reached Temporal when the Worker died may be repeated.
    const repeated = host.asked().filter((path, position, all) => all.indexOf(path) !== position);
    expect(host.requests.length - repeated.length).toBe(60);
    for (const path of repeated) {
      const first = producers.find(({ organization }) => path.startsWith(`/${organization ?? ''}/`));
      const child = client.workflow.getHandle(batchCheckWorkflowId(batchId, first?.producerId ?? ''));
      const { events } = await child.fetchHistory();
      const attempts = events?.map((event) => event.activityTaskStartedEventAttributes?.attempt ?? 0) ?? [];
      expect(Math.max(...attempts), path).toBeGreaterThan(1);
    }

    // A Task Queue that was idle lets one second's worth pass at once.
    const seconds = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1_000;
    expect(arrivals.length).toBeLessThanOrEqual(REQUESTS_PER_SECOND * (seconds + 1));
    expect(mostWithin(2_000, arrivals)).toBeLessThanOrEqual(REQUESTS_PER_SECOND * (2 + 2));
  } finally {
    worker.child.kill('SIGKILL');
    await worker.ended;
    await host.stop();
    await server.stop();
    rmSync(data, { recursive: true });
  }
}, 600_000);

/** @param times ascending, milliseconds */
const mostWithin = (windowMs: number, times: readonly number[]): number =>
  Math.max(...times.map((from, first) => times.slice(first).filter((at) => at - from <= windowMs).length));
