import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // The longest tests wait for other processes half of the time.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/find-temporal-servers.ts', 'test/support/built-once.ts'],
    // Half of it is usual for the tests that start the local deployment, while others run.
    testTimeout: 120_000,
    // The default of a second is too short for a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
  },
});
