import { expect, test } from 'vitest';
import { batchTally } from '../../src/agents-md/batch-details.ts';
import type { BatchEntry } from '../../src/agents-md/batch.ts';

const entry = (
  producerId: string,
  reasonCode: BatchEntry['reasonCode'],
  outcome: BatchEntry['outcome'],
): BatchEntry => ({
  producerId,
  status: outcome === null ? 'inconclusive' : 'conclusive',
  outcome,
  reasonCode,
});

test('count the results, the worst first, and list the producers to act on', () => {
  const tally = batchTally('nightly_1', 5);
  expect(tally.worst()).toBeNull();
  expect(tally.details()).toBe('## ⏳ nightly\\_1: 0 of 5 producers checked');
  tally.add(entry('good', 'content_found', 'pass'));
  expect(tally.worst()).toBe('pass');
  tally.add(entry('short', 'stub', 'partial'));
  expect(tally.worst()).toBe('partial');
  tally.add(entry('throttled', 'host_throttled' as never, null));
  expect(tally.worst()).toBe('inconclusive');
  tally.add({ producerId: 'stopped', status: null, outcome: null, reasonCode: null });
  expect(tally.worst()).toBe('inconclusive');
  tally.add(entry('none_|', 'file_not_found', 'fail'));
  expect(tally.worst()).toBe('fail');
  expect(tally.details().split('\n')).toEqual([
    '## 🏁 nightly\\_1: 5 of 5 producers checked',
    '',
    '❌ 1 fail, ❌ 1 ended from outside, ❔ 1 inconclusive, ⚠️ 1 partial, ✅ 1 pass',
    '',
    '| outcome | producer | reason |',
    '| --- | --- | --- |',
    '| ⚠️ partial | short | stub |',
    '| ❔ inconclusive | throttled | host_throttled |',
    '| ❌ ended from outside | stopped |  |',
    '| ❌ fail | none\\_\\| | file_not_found |',
  ]);
});

test('keep the details of the largest batch under 20 kB', () => {
  const tally = batchTally('b', 5_000);
  for (let index = 0; index < 5_000; index++) tally.add(entry(`${index}${'_'.repeat(124)}`, 'file_not_found', 'fail'));
  expect(Buffer.byteLength(tally.details())).toBeLessThan(20_000);
  expect(tally.details()).toContain('and 4950 more that do not pass');
});
