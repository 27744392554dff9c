import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // The tests that take long wait for other processes half of the time; vitest's own choice is one fewer than there are cores.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ['test/support/find-temporal-servers.ts', 'test/support/workflow-bundle.ts'],
    // Half of it is usual for the tests that start the whole set-up, once others run beside them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
