import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { findChromium } from './test/support/find-chromium.ts';
import { findPgBouncer } from './test/support/postgres/pgbouncer.ts';
import { findPostgres } from './test/support/postgres/postgres-cluster.ts';

/**
 * Tests that use a database: the same files run on both. Left out are those of pages and of requests that are refused before SQL, and of
 * those that start whole programs all but the ones that share it.
 */
const DATABASE_TESTS = [
  'test/store/**/*.test.ts',
  'test/http/{api-key-claims,event-streams,muted-records,notifications-routes,onboarding-list,provider-webhooks}.test.ts',
  'test/cli/databases/**/*.test.ts',
  'test/cli/doctor/database-checks.test.ts',
  'test/email-service/{activities,http/routes,idempotency,store}/**/*.test.ts',
  'test/email-service/http/{large-emails,problem-replies}.test.ts',
  'test/email-service/background/first-attempts.test.ts',
  'test/email-service/delivery/mta-sts.test.ts',
  'test/system/{key-families.test,two-of-each.long.test}.ts',
  'test/lib/sql/{full-disk,sealed-columns}.test.ts',
];

const POSTGRES_TESTS = [
  'test/races/**/*.test.ts',
  'test/lib/sql/postgres/**/*.test.ts',
  'test/support/postgres/**/*.test.ts',
  'test/system/move-to-postgres.test.ts',
];

/** Each in its own process: mocked or changed modules, and what is measured or counted in the process. */
const ALONE_TESTS = [
  'test/failed-start.test.ts',
  'test/linear-time/*.test.ts',
  'test/onboarding/sixth-step.test.ts',
  'test/client/onboarding/wake-ups.test.ts',
  'test/code-host/{collected-timers,memory}.test.ts',
  'test/lib/http/http-limits.test.ts',
  'test/lib/{metrics,tracing}/*.test.ts',
];

/** Long by nature: the short form of each is in a file of `npm test`. */
const LONG_TESTS = ['test/**/*.long.test.ts'];
const LONG_ALONE_TESTS = [
  'test/{bench,cli,crash,deploy,email-provider,email-service,linear-time,setup-page,system,topology}/**/*.long.test.ts',
];

const BUILT_ONCE = 'test/support/built-once.ts';
const TEMPORAL_SERVERS = 'test/support/find-temporal-servers.ts';
const PRODUCTION = 'test/deployment/find-production.ts';

/** In a browser, against the built package. */
const BROWSER_TESTS = ['test/setup-page/**/*.test.ts', 'test/http/report-page.test.ts'];

const hasPostgres =
  process.env['CI'] !== undefined ||
  process.env['SENDOFF_TEST_POSTGRES_URL'] !== undefined ||
  findPostgres() !== undefined;
if (!hasPostgres) {
  console.warn(
    'Tests on PostgreSQL are left out: it is not installed here (Debian: apt-get install postgresql), and SENDOFF_TEST_POSTGRES_URL names no server.',
  );
}

/** With a connection pooler before PostgreSQL. */
const POOLER_TESTS = ['test/lib/sql/postgres/pgbouncer.test.ts'];
const hasPooler = process.env['CI'] !== undefined || findPgBouncer() !== undefined;
if (hasPostgres && !hasPooler) {
  console.warn('Tests with PgBouncer are left out: it is not installed here (Debian: apt-get install pgbouncer).');
}

const hasBrowser = process.env['CI'] !== undefined || (await findChromium()) !== undefined;
if (!hasBrowser) {
  console.warn(
    'Tests of the setup page in a browser are left out: Chromium is not on PATH (Debian: apt-get install chromium).',
  );
}

const LONG = {
  // Only what hangs reaches it: six of them share the processors.
  testTimeout: 600_000,
  hookTimeout: 300_000,
  globalSetup: [TEMPORAL_SERVERS, PRODUCTION, BUILT_ONCE],
  // Without a cache of Workflows, which costs a fifth more.
  provide: { replaysEachTask: true },
};

export default defineConfig({
  resolve: {
    alias: [
      {
        find: /^(\.{1,2}\/)+lib\/temporal\/workflow-bundle\.ts$/u,
        replacement: fileURLToPath(new URL('test/support/workflow-bundle-of-run.ts', import.meta.url)),
      },
      {
        find: /^(\.{1,2}\/)+lib\/http\/create-http-app\.ts$/u,
        replacement: fileURLToPath(new URL('test/support/http-app-of-process.ts', import.meta.url)),
      },
    ],
  },
  test: {
    pool: 'forks',
    // The longest tests wait half of the time: for other processes, for the next attempt.
    maxWorkers: availableParallelism() + 4,
    sequence: { sequencer: LongestFirst },
    // Half of it is usual for the tests that start the local deployment, while others run.
    testTimeout: 120_000,
    // The default of a second is too short for a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
    // A process takes the files of its project one after the other, because loading a file's modules costs more than most of
    // its tests: they leave nothing behind.
    isolate: false,
    // A retry of the Temporal SDK whose pause outlives its closed connection throws from a timer, where nothing can catch it.
    onUnhandledError: ({ message, stack }) =>
      !(message === 'Channel has been shut down' && stack?.includes('grpc-retry') === true),
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite-alone',
          include: [...ALONE_TESTS, ...(hasBrowser ? BROWSER_TESTS : [])],
          exclude: [...POSTGRES_TESTS, ...LONG_TESTS],
          isolate: true,
          globalSetup: [TEMPORAL_SERVERS, BUILT_ONCE],
        },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          exclude: [...POSTGRES_TESTS, ...ALONE_TESTS, ...BROWSER_TESTS, ...LONG_TESTS],
          globalSetup: [TEMPORAL_SERVERS, BUILT_ONCE],
        },
      },
      {
        extends: true,
        test: {
          name: 'long-alone',
          include: LONG_ALONE_TESTS,
          exclude: hasBrowser ? [] : BROWSER_TESTS,
          isolate: true,
          ...LONG,
        },
      },
      {
        extends: true,
        test: { name: 'long', include: LONG_TESTS, exclude: LONG_ALONE_TESTS, ...LONG },
      },
      ...(hasPostgres
        ? [
            {
              extends: true as const,
              test: {
                name: 'postgres',
                include: [...POSTGRES_TESTS, ...DATABASE_TESTS],
                exclude: ['test/store/database.test.ts', ...(hasPooler ? [] : POOLER_TESTS)],
                globalSetup: [BUILT_ONCE, 'test/support/postgres/provide-postgres.ts'],
              },
            },
          ]
        : []),
    ],
  },
});
