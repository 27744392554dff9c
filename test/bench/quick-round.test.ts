import { expect, test } from 'vitest';
import { runRounds } from '../../bench/run-rounds.ts';
import { scenarios } from '../../bench/scenarios.ts';

test('a quick round of one scenario starts its process, measures it, and ends it', async () => {
  const lines: string[] = [];
  const results = await runRounds({
    scenarios: scenarios.filter(({ name }) => name === 'no-engine-alone'),
    ...{ rounds: 1, quick: true, signal: new AbortController().signal, report: (line) => lines.push(line) },
    // It needs neither.
    ...{ command: '', temporal: { kind: 'dev', cli: '' } },
  });
  const [round] = results.get('no-engine-alone') ?? [];
  const figures = round?.['six calls without an engine'] ?? {};
  expect(Object.keys(figures)).toEqual(['ended/s', 'p50 ms', 'p99 ms', 'CPU ms each', 'worker CPU ms each']);
  for (const value of Object.values(figures)) expect(value).toBeGreaterThan(0);
  expect(lines[0]).toBe('Round 1 of 1: no-engine-alone');
});
