import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Producer, readProducer } from '../../src/agents-md/producer.ts';
import { verdict } from '../../src/agents-md/verdict.ts';
import { createSqlCheckStore } from '../../src/store/agents-md/check-store.ts';
import { createSqlProducers, type Producers } from '../../src/store/agents-md/sql-producers.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { testDatabase, type TestDatabase } from '../support/test-database.ts';
import { four, ROUNDS } from './rounds.ts';

let prepared: TestDatabase;
let database: Database;
let producers: Producers;
beforeAll(async () => {
  prepared = await testDatabase('orchestrator');
  database = await openDatabase(prepared.url, { connections: 8 });
  producers = createSqlProducers(database);
});
afterAll(async () => {
  await database.destroy();
  await prepared.end();
});

const timeOf = (second: number): string => new Date(Date.UTC(2026, 0, 2) + second * 1_000).toISOString();
const producer = (producerId: string, more: object = {}): Producer => readProducer({ producerId, ...more }) as Producer;
const names = (from: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${from}-${String(index).padStart(4, '0')}`);

/** The catalogue is one, so its rounds follow one another. */
async function oneByOne(race: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await race(round);
}

test('of several lists that replace the catalogue, it has one as a whole', async () => {
  await oneByOne(async (round) => {
    const lists = [0, 1, 2, 3].map((contender) => names(`list-${String(round)}-${String(contender)}`, 20));
    await four((contender) =>
      producers.put(
        (lists[contender] ?? []).map((id) => producer(id)),
        { at: timeOf(round), removeMissing: true },
      ),
    );
    const left = await producers.list({}, { limit: 100, after: undefined });
    expect(lists).toContainEqual(left.map(({ producerId }) => producerId));
  });
});

test('lists in other orders, requests for checks and removals do not end one another', async () => {
  const ids = names('shared', 600);
  await oneByOne(async (round) => {
    const labels = { labels: [`round-${String(round)}`] };
    const list = ids.map((id) => producer(id, labels));
    await Promise.all([
      producers.put(list, { at: timeOf(round) }),
      producers.put(list.toReversed(), { at: timeOf(round) }),
      producers.askFor({ all: true }, timeOf(round)),
      producers.askFor({ ids: ids.toReversed() }, timeOf(round)),
      producers.remove(ids[300] ?? ''),
      producers.remove(ids[301] ?? ''),
    ]);
  });
}, 300_000);

test('a producer that is removed while its check ends leaves nothing to one that is added later', async () => {
  const checks = createSqlCheckStore(database);
  await oneByOne(async (round) => {
    const producerId = `removed-${String(round)}`;
    const labelled = producer(producerId, { labels: ['a'] });
    await producers.put([labelled], { at: timeOf(round) });
    const end = (second: number, basedOn: string | null) => {
      const soFar = { input: { producerId }, startedAt: timeOf(second), previous: null, observations: [] };
      const result = verdict(soFar, timeOf(second));
      const check = { result, observations: [], resolved: null, lastConclusive: result.lastConclusive };
      return checks.replace({ check, version: String(second) }, basedOn);
    };
    await end(round, null);
    await Promise.all([end(round + 1, String(round)), producers.remove(producerId)]);
    await producers.put([labelled], { at: timeOf(round) });
    const { latest = null } = (await producers.get(producerId)) ?? {};
    expect([latest, await producers.results(producerId)]).toEqual([null, []]);
    await producers.remove(producerId);
  });
});
