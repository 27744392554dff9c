import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { findPostgres } from './test/support/postgres/postgres-cluster.ts';

/** Tests that use a database: the same files run on both. Of those that start whole programs, only the one that shares it. */
const DATABASE_TESTS = [
  'test/store/**/*.test.ts',
  'test/http/{api-key-claims,event-streams,muted-records,notifications-routes,onboarding-list}.test.ts',
  'test/cli/databases/**/*.test.ts',
  'test/cli/doctor/database-checks.test.ts',
  'test/email-service/{activities,http,idempotency,store}/**/*.test.ts',
  'test/email-service/background/first-attempts.test.ts',
  'test/system/two-of-each.test.ts',
  'test/lib/sql/sealed-columns.test.ts',
];

const POSTGRES_TESTS = [
  'test/races/**/*.test.ts',
  'test/lib/sql/postgres/**/*.test.ts',
  'test/system/move-to-postgres.test.ts',
];

/**
 * Tests without a Temporal server and without programs: they run one after the other in processes that are kept, because
 * loading a file's modules costs more than most of its tests. They leave nothing behind in the process, and mock no module.
 */
const PLAIN_TESTS = [
  'test/activities/!(send-notification|sweep-register).test.ts',
  'test/{agents-md,email-provider,onboarding,store}/**/*.test.ts',
  'test/bench/report.test.ts',
  'test/http/!(onboarding-changes).test.ts',
  'test/http/setup-page/texts.test.ts',
  'test/cli/onboarding/!(list-onboardings).test.ts',
  'test/email-service/{activities,auth,delivery,domains,http,idempotency,store,webhooks}/**/*.test.ts',
  'test/email-service/background/first-attempts.test.ts',
  'test/lib/{dns,waiting}/**/*.test.ts',
];

const hasPostgres =
  process.env['CI'] !== undefined ||
  process.env['SENDOFF_TEST_POSTGRES_URL'] !== undefined ||
  findPostgres() !== undefined;
if (!hasPostgres) {
  console.warn(
    'Tests on PostgreSQL are left out: it is not installed here (Debian: apt-get install postgresql), and SENDOFF_TEST_POSTGRES_URL names no server.',
  );
}

export default defineConfig({
  test: {
    pool: 'forks',
    // The longest tests wait for other processes half of the time.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // Half of it is usual for the tests that start the local deployment, while others run.
    testTimeout: 120_000,
    // The default of a second is too short for a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          exclude: [...POSTGRES_TESTS, ...PLAIN_TESTS],
          globalSetup: ['test/support/find-temporal-servers.ts', 'test/support/built-once.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'sqlite-plain',
          include: PLAIN_TESTS,
          isolate: false,
        },
      },
      ...(hasPostgres
        ? [
            {
              extends: true as const,
              test: {
                name: 'postgres',
                include: [...POSTGRES_TESTS, ...DATABASE_TESTS],
                exclude: ['test/store/database.test.ts'],
                globalSetup: ['test/support/postgres/provide-postgres.ts'],
              },
            },
          ]
        : []),
    ],
  },
});
