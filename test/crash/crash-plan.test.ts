import { expect, test } from 'vitest';
import { crashPlan, processNames } from './crash-plan.ts';

test('makes the same plan from the same seed, and another from another', () => {
  const plan = crashPlan({ seed: 7, kills: 40, onboardings: 40 });
  expect(crashPlan({ seed: 7, kills: 40, onboardings: 40 })).toEqual(plan);
  expect(crashPlan({ seed: 8, kills: 40, onboardings: 40 })).not.toEqual(plan);
});

test.each([0, 1, 2, 3])('four kills already meet every process, ten tenants are of every kind (seed %i)', (seed) => {
  const { kills, tenants } = crashPlan({ seed, kills: 4, onboardings: 10 });
  expect(kills.map(({ process }) => process).sort()).toEqual([...processNames].sort());
  expect(tenants.map(({ kind }) => kind).sort()).toEqual([
    ...['cancelled', 'cancelled', 'good', 'good', 'good', 'good', 'good', 'misplaced', 'refused', 'unpublished'],
  ]);
});

test('starts tenants throughout the kills, the last of them before the last kill', () => {
  const { kills, tenants } = crashPlan({ seed: 1, kills: 100, onboardings: 100 });
  const sum = (steps: readonly { pauseMs: number }[]): number =>
    steps.reduce((total, { pauseMs }) => total + pauseMs, 0);
  expect(sum(tenants)).toBeGreaterThan(0.75 * sum(kills));
  expect(sum(tenants)).toBeLessThan(sum(kills));
});
