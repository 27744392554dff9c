import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

// The files of projects are their own; this one file is a project's in the tests' place.
const { projects, ...shared } = config.test ?? {};

export default defineConfig({
  test: {
    ...shared,
    include: ['test/replay/record-histories.ts'],
    globalSetup: ['test/support/find-temporal-servers.ts', 'test/support/built-once.ts'],
  },
});
