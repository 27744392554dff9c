import { expect, test } from 'vitest';
import { crashPlan, databases, killedProcesses } from './crash-plan.ts';

test('makes the same plan from the same seed, and another from another', () => {
  const options = { database: 'sqlite', kills: 40, onboardings: 40 } as const;
  const plan = crashPlan({ ...options, seed: 7 });
  expect(crashPlan({ ...options, seed: 7 })).toEqual(plan);
  expect(crashPlan({ ...options, seed: 8 })).not.toEqual(plan);
});

const seeds = [0, 1, 2, 3];
test.each(databases.flatMap((database) => seeds.map((seed) => ({ database, seed }))))(
  'as many kills as kinds of processes meet every kind, ten tenants are of every kind ($database, seed $seed)',
  ({ database, seed }) => {
    const processes = killedProcesses[database];
    const { kills, tenants } = crashPlan({ database, seed, kills: processes.length, onboardings: 10 });
    expect(kills.map(({ process }) => process).sort()).toEqual([...processes].sort());
    expect(tenants.map(({ kind }) => kind).sort()).toEqual([
      ...['cancelled', 'cancelled', 'good', 'good', 'good', 'good', 'good', 'misplaced', 'refused', 'unpublished'],
    ]);
  },
);

test('starts tenants throughout the kills, the last of them before the last kill', () => {
  const { kills, tenants } = crashPlan({ database: 'sqlite', seed: 1, kills: 100, onboardings: 100 });
  const sum = (steps: readonly { pauseMs: number }[]): number =>
    steps.reduce((total, { pauseMs }) => total + pauseMs, 0);
  expect(sum(tenants)).toBeGreaterThan(0.75 * sum(kills));
  expect(sum(tenants)).toBeLessThan(sum(kills));
});
