import { expect, test } from 'vitest';
import { runRounds } from '../../bench/run-rounds.ts';
import { scenarios } from '../../bench/scenarios.ts';
import { packagedCommand } from '../support/packaged-command.ts';
import { temporalCli } from '../support/temporal.ts';

/** Of each kind one that starts the programs themselves: a rule that the product adds may refuse what the bench sends. */
const STARTING = [
  'onboarding-alone',
  'emails-at-rate',
  'waiting-1000',
  'killed-worker',
  'growth-emails',
  'growth-onboardings',
];

test.for(STARTING)('a quick round of %s measures every figure', async (name) => {
  const results = await runRounds({
    scenarios: scenarios.filter((scenario) => scenario.name === name),
    ...{ rounds: 1, quick: true, signal: new AbortController().signal, report: () => undefined },
    ...{ command: await packagedCommand(), temporal: { kind: 'dev', cli: await temporalCli() } },
  });
  const lines = Object.entries(results.get(name)?.[0] ?? {});
  expect(lines.length).toBeGreaterThan(0);
  for (const [title, figures] of lines) {
    for (const [column, value] of Object.entries(figures ?? {}))
      expect(value, `${title}, ${column}`).toSatisfy(Number.isFinite);
  }
});
