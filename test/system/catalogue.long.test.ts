// A catalogue at a code host that allows few requests in a window, as real ones do, only faster, while its Worker is killed.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Producer, readProducer } from '../../src/agents-md/producer.ts';
import type { ReasonCode } from '../../src/agents-md/reasons.ts';
import { startProducersSweep } from '../../src/client/agents-md/producers-schedule.ts';
import { renderReport } from '../../src/http/routes/agents-md/report.ts';
import type { ProducerRecord } from '../../src/store/agents-md/producers.ts';
import { createSqlProducers } from '../../src/store/agents-md/sql-producers.ts';
import { openDatabase } from '../../src/store/database.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { startLocalCodeHost } from '../support/local-code-host.ts';
import { devServer } from '../support/temporal.ts';
import { newDataFolder, startSendoffWith } from './running-sendoff.ts';

/** Others by the environment: 2,000 of as many organizations with eight kills take some seven minutes, 5,000 of one thirteen. */
const argument = (name: string, usual: number): number => Number(process.env[`CATALOGUE_${name}`] ?? usual);
const PRODUCERS = argument('PRODUCERS', 160);
const ORGANIZATIONS = argument('ORGANIZATIONS', PRODUCERS);
const KILLS = argument('KILLS', 2);
const WINDOW_MS = 3_000;
/** Requests of a window: fewer than the Worker could make, so that the host has to refuse. */
const QUOTA = argument('QUOTA', 20);
/** Four times what the quota allows, for a busy machine and the Workers that start again. */
const TIME_MS = 300_000 + KILLS * 30_000 + 4 * (PRODUCERS / QUOTA) * WINDOW_MS;
/** Of the search, which has a quota of its own. */
const SEARCH_QUOTA = 2;
const content = 'How to build, test and change this project. '.repeat(10);

interface Truth {
  readonly reason: ReasonCode;
  readonly producer: Producer;
}

/** One of twenty has no repository named: it is searched for, and has content. */
const truths: readonly Truth[] = Array.from({ length: PRODUCERS }, (_, at) => {
  const kind = at % 20;
  const reason = kind < 14 ? 'content_found' : kind < 17 ? 'stub' : kind < 19 ? 'file_not_found' : 'content_found';
  const named = {
    producerId: `p-${String(at).padStart(4, '0')}`,
    organization: `org-${at % ORGANIZATIONS}`,
    every: '30d',
  };
  return {
    reason,
    producer: readProducer({ ...named, ...(kind < 19 && { primaryRepository: `api-${at}` }) }) as Producer,
  };
});
const reasonOf = new Map(truths.map(({ reason, producer }) => [producer.primaryRepository ?? 'main', reason]));

/** Answers as a host that allows `quota` requests in a window, and counts requests that come before their time. */
function limited(quota: number, answer: RequestListener) {
  const counted = { refused: 0, early: 0 };
  let began = 0;
  let asked = 0;
  let pausedSince: number | undefined;
  const listener: RequestListener = (request, response) => {
    const now = Date.now();
    if (now >= began + WINDOW_MS) [began, asked, pausedSince] = [now, 0, undefined];
    asked += 1;
    if (asked <= quota) {
      answer(request, response);
      return;
    }
    counted.refused += 1;
    // What was under way when the refusal was read does not count.
    if (pausedSince !== undefined && now > pausedSince + 1_000) counted.early += 1;
    pausedSince ??= now;
    const retryAfter = Math.ceil((began + WINDOW_MS - now) / 1_000);
    response.writeHead(429, { 'retry-after': String(retryAfter) }).end();
  };
  return { counted, listener };
}

test(
  'every producer is answered, no request is sent before its time, and a killed Worker repeats nothing conclusive',
  async () => {
    const [raw, api] = await Promise.all([startLocalCodeHost(), startLocalCodeHost()]);
    const files = limited(QUOTA, (request, response) => {
      const reason = reasonOf.get((request.url ?? '').split('/')[2] ?? '');
      if (reason === 'content_found') response.end(content);
      else if (reason === 'stub') response.end('# Agents\n');
      else response.writeHead(404).end();
    });
    const items = [{ name: 'main', stargazers_count: 1, fork: false, archived: false }];
    const searches = limited(SEARCH_QUOTA, (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ total_count: 1, items }));
    });
    raw.serveOthers(files.listener);
    api.serveOthers(searches.listener);
    const server = await devServer({ searchAttributes: searchAttributeKeys });
    const data = newDataFolder();
    const databaseUrl = `file:${join(data, 'sendoff.db')}`;
    const startWorker = () =>
      startSendoffWith(
        {
          TEMPORAL_ADDRESS: server.address,
          TEMPORAL_NAMESPACE: server.namespace,
          SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: server.namespace,
          SENDOFF_API_TOKEN: randomBytes(32).toString('base64url'),
          SENDOFF_SECRET_KEY: Buffer.alloc(32).toString('base64'),
          SENDOFF_DATABASE_URL: databaseUrl,
          EMAIL_PROVIDER_OPERATOR_TOKEN: 'not used here',
          AGENTS_MD_CONTACT: 'ops@example.com',
          AGENTS_MD_HOST_URLS: JSON.stringify({ 'github.com': { ...raw.urls, api: api.urls.api } }),
          AGENTS_MD_REQUESTS_PER_SECOND: '80',
        },
        'worker',
      );
    let worker = await startWorker();
    await worker.printed(/./);
    const database = await openDatabase(databaseUrl);
    const producers = createSqlProducers(database);
    try {
      const at = new Date().toISOString();
      await producers.put(
        truths.map(({ producer }) => producer),
        { at },
      );
      const { total } = await producers.counts();
      expect(total).toBe(PRODUCERS);
      await producers.askFor({ all: true }, at);
      await startProducersSweep(server.environment.client);
      const answered = async () => (await producers.progress(at)).answered;
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await expect
          .poll(answered, { timeout: TIME_MS, interval: 200 })
          .toBeGreaterThan((kill * PRODUCERS) / (KILLS + 2));
        worker.child.kill('SIGKILL');
        await worker.ended;
        worker = await startWorker();
      }
      await expect.poll(answered, { timeout: TIME_MS, interval: 1_000 }).toBe(PRODUCERS);

      const rows = await producers.list({}, { limit: PRODUCERS, after: undefined });
      const truth = truths.map(({ producer: { producerId }, reason }) => [producerId, reason]);
      expect(rows.map(({ producerId, latest }) => [producerId, latest?.reasonCode])).toEqual(truth);
      expect((await reported(rows, producers)).map(([producerId, , reason]) => [producerId, reason])).toEqual(truth);

      expect(files.counted.refused).toBeGreaterThan(0);
      // One organization needs one search.
      if (ORGANIZATIONS === PRODUCERS) expect(searches.counted.refused).toBeGreaterThan(0);
      // A Worker may be killed before it has stored a refusal.
      expect(files.counted.early + searches.counted.early).toBeLessThanOrEqual(KILLS);

      // What was under way at a kill may be asked again: at most the requests that a Worker makes at once.
      const paths = raw.asked();
      expect(paths.length - files.counted.refused - new Set(paths).size).toBeLessThanOrEqual(KILLS * 20);
    } finally {
      worker.child.kill('SIGKILL');
      await worker.ended;
      await database.destroy();
      await Promise.all([raw.stop(), api.stop()]);
      await server.stop();
      rmSync(data, { recursive: true });
    }
  },
  TIME_MS,
);

/** The lines of the CSV report. */
async function reported(
  rows: readonly ProducerRecord[],
  producers: ReturnType<typeof createSqlProducers>,
): Promise<string[][]> {
  const counts = await producers.counts();
  const report = { at: '', counts, pace: { requestsMax: 0, hoursMax: 0 }, rows: pages(rows) };
  let text = '';
  for await (const part of renderReport('csv', report)) text += part;
  const [, ...lines] = text.trimEnd().split('\r\n');
  return lines.map((line) => line.slice(1, -1).split('","'));
}

async function* pages(rows: readonly ProducerRecord[]): AsyncGenerator<readonly ProducerRecord[]> {
  yield rows;
}
