import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    globalSetup: ['test/support/find-temporal-servers.ts'],
    setupFiles: ['test/support/quiet-temporal.ts'],
    // The first Worker of a file bundles its Workflows.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
