// Who may import what: the architecture's arrows as one table. ESLint reports a breach where it is written;
// test/import-rules.test.ts holds the same table against the whole tree, dynamic imports included.

/** Leaf libraries: they import nothing of the project, or only leaves they name here. */
const leaves = [
  'src/closers.ts',
  'src/counted.ts',
  'src/file-fault.ts',
  'src/settings.ts',
  'src/sealing.ts',
  'src/http-limits.ts',
  'src/listen.ts',
  'src/require-fitting-key.ts',
  'src/installation-id.ts',
  'src/repetition-filter.ts',
  'src/sql-database.ts',
  'src/sqlite-error.ts',
  'src/shared-check.ts',
  'src/temporal-config.ts',
  'src/with-deadline.ts',
  'src/temporal-setup',
  'src/temporal-workers.ts',
  'src/dns',
  'src/mail-rules',
];

/**
 * `may`: what the folder's files may import by value, beside themselves. `types`: what they may import only as types.
 * `packages`: the only npm packages and Node builtins it may import; absent = any.
 * @type {{ from: string, may: string[], types?: string[], packages?: string[] }[]}
 */
export const importRules = [
  { from: 'src/onboarding', may: ['src/plain-markdown.ts', 'src/duration.ts', 'src/counted.ts'], packages: [] },
  {
    from: 'src/workflows',
    may: ['src/onboarding', 'src/agents-md', 'src/poll-until.ts', 'src/duration.ts', 'src/counted.ts'],
    types: ['src/activities', 'src/check-store'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  {
    from: 'src/activities',
    may: [
      'src/onboarding',
      'src/email-provider',
      'src/secrets',
      'src/dns',
      'src/agents-md',
      'src/check-store',
      'src/code-host-client',
      'src/with-deadline.ts',
    ],
    types: ['src/register'],
    packages: ['@temporalio/activity', '@temporalio/common', 'node:crypto', 'standardwebhooks', 'undici'],
  },
  {
    from: 'src/email-provider',
    may: [],
    types: ['src/onboarding', 'src/dns'],
    packages: ['undici', 'node:timers/promises'],
  },
  { from: 'src/code-host-client', may: ['src/agents-md', 'src/with-deadline.ts'], packages: ['undici', 'node:crypto'] },
  {
    from: 'src/secrets',
    may: ['src/sealing.ts', 'src/require-fitting-key.ts'],
    types: ['src/database.ts', 'src/config.ts'],
  },
  { from: 'src/register', may: ['src/onboarding'], types: ['src/database.ts'] },
  { from: 'src/check-store', may: [], types: ['src/database.ts', 'src/agents-md'] },
  {
    from: 'src/http',
    may: [
      'src/mail-rules',
      'src/duration.ts',
      'src/counted.ts',
      'src/onboarding',
      'src/dns',
      'src/agents-md',
      'src/check-store',
      'src/secrets',
      'src/workflows/messages.ts',
      'src/workflows/search-attributes.ts',
      'src/hang-up-when-closing.ts',
      'src/http-limits.ts',
      'src/hint-pace.ts',
      'src/shared-check.ts',
      'src/sqlite-error.ts',
      'src/temporal-setup',
      'src/with-deadline.ts',
    ],
    types: ['src/workflows', 'src/register'],
  },
  { from: 'src/email-service', may: [...leaves, 'src/poll-until.ts', 'src/hang-up-when-closing.ts'] },
  {
    from: 'src/email-service/workflows',
    may: ['src/poll-until.ts', 'src/email-service/verification/look-schedule.ts', 'src/email-service/workflow-ids.ts'],
    types: ['src/email-service/activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  { from: 'src/dns', may: [] },
  // Node's own IDNA, and the Public Suffix List: never in a Workflow, whose replay must not depend on their data.
  { from: 'src/mail-rules', may: ['src/dns'], packages: ['node:net', 'node:url'] },
  { from: 'src/duration.ts', may: [], packages: [] },
  { from: 'src/counted.ts', may: [], packages: [] },
  { from: 'src/agents-md', may: ['src/plain-markdown.ts', 'src/counted.ts'], packages: [] },
  { from: 'src/closers.ts', may: [], packages: [] },
  { from: 'src/file-fault.ts', may: [], packages: [] },
  { from: 'src/repetition-filter.ts', may: [], packages: [] },
  { from: 'src/settings.ts', may: [], packages: [] },
  { from: 'src/sealing.ts', may: [], packages: ['node:crypto'] },
  { from: 'src/http-limits.ts', may: [], packages: [] },
  { from: 'src/listen.ts', may: ['src/settings.ts'] },
  { from: 'src/require-fitting-key.ts', may: ['src/sealing.ts', 'src/settings.ts'], packages: [] },
  { from: 'src/installation-id.ts', may: [], packages: ['kysely', 'node:crypto'] },
  { from: 'src/sql-database.ts', may: ['src/sqlite-dialect.ts', 'src/sqlite-error.ts', 'src/file-fault.ts'] },
  { from: 'src/sqlite-dialect.ts', may: ['src/sqlite-error.ts'] },
  { from: 'src/sqlite-error.ts', may: [], packages: [] },
  { from: 'src/shared-check.ts', may: [], packages: [] },
  { from: 'src/database.ts', may: ['src/sql-database.ts', 'src/installation-id.ts'], types: ['src/onboarding'] },
  { from: 'src/temporal-config.ts', may: ['src/settings.ts', 'src/file-fault.ts'] },
  { from: 'src/temporal-setup', may: [] },
  { from: 'src/temporal-workers.ts', may: [] },
  { from: 'src/hang-up-when-closing.ts', may: [] },
  { from: 'src/poll-until.ts', may: ['src/wait-machine.ts'], packages: ['@temporalio/workflow'] },
  { from: 'src/wait-machine.ts', may: ['src/hint-pace.ts'], packages: [] },
  { from: 'src/hint-pace.ts', may: [], packages: [] },
  { from: 'src/plain-markdown.ts', may: [], packages: [] },
  { from: 'src/with-deadline.ts', may: ['src/follow-abort.ts'], packages: [] },
  { from: 'src/follow-abort.ts', may: [], packages: ['node:events'] },
];

/** Only these may import from `src/dev`. */
export const devImporters = ['src/dev', 'src/cli.ts', 'test'];
