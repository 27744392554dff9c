// Who may import what: the architecture's arrows as one table. ESLint reports a breach where it is written;
// test/import-rules.test.ts holds the same table against the whole tree, dynamic imports included.

/** Parts of lib/ without I/O, clocks and randomness: what a Workflow may use. */
const pureLib = ['counted', 'differing-fields', 'duration', 'escape-markdown', 'without-stack'].map(
  (name) => `src/lib/${name}.ts`,
);

/**
 * `may`: what the folder's files may import by value, beside themselves. `types`: what they may import only as types.
 * `packages`: the only npm packages and Node builtins it may import; absent = any. A file keeps the rule of the innermost
 * folder that has one.
 * @type {{ from: string, may: string[], types?: string[], packages?: string[] }[]}
 */
export const importRules = [
  // The rules: pure.
  { from: 'src/onboarding', may: pureLib, packages: [] },
  { from: 'src/agents-md', may: pureLib, packages: [] },

  // The Workflows, and what they ask for.
  {
    from: 'src/workflows',
    may: ['src/onboarding', 'src/agents-md', 'src/lib/waiting', ...pureLib],
    types: ['src/activities', 'src/store'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  {
    from: 'src/activities',
    may: ['src/onboarding', 'src/agents-md', 'src/email-provider', 'src/code-host', 'src/store', 'src/lib'],
    packages: ['@temporalio/activity', '@temporalio/common', 'node:crypto', 'standardwebhooks', 'undici'],
  },
  {
    from: 'src/email-provider',
    may: ['src/lib/http/retry-after.ts', 'src/lib/parse-json.ts'],
    types: ['src/onboarding', 'src/lib/dns'],
    packages: ['undici', 'node:timers/promises'],
  },
  { from: 'src/code-host', may: ['src/agents-md', 'src/lib'], packages: ['undici', 'node:crypto'] },
  { from: 'src/store', may: ['src/onboarding', 'src/lib'], types: ['src/agents-md'] },

  // From outside to the Workflows.
  {
    from: 'src/client',
    may: [
      'src/onboarding',
      'src/agents-md',
      'src/store',
      'src/workflows/messages.ts',
      'src/workflows/search-attributes.ts',
      'src/lib',
    ],
    types: ['src/workflows'],
  },
  { from: 'src/http', may: ['src/client', 'src/onboarding', 'src/agents-md', 'src/store', 'src/lib'] },
  {
    from: 'src/cli',
    may: [
      'src/client',
      'src/http',
      'src/onboarding',
      'src/agents-md',
      'src/email-provider',
      'src/code-host',
      'src/store',
      'src/workflows/search-attributes.ts',
      'src/email-service',
      'src/lib',
      'src/dev',
      'src/config.ts',
      'src/server.ts',
      'src/worker.ts',
    ],
  },

  // The second program: replaceable by another provider.
  { from: 'src/email-service', may: ['src/lib'] },
  {
    from: 'src/email-service/workflows',
    may: ['src/lib/waiting'],
    types: ['src/email-service/activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },

  // Leaf libraries: they import nothing of the programs.
  { from: 'src/lib', may: [] },
  ...pureLib.map((from) => ({ from, may: [], packages: [] })),
  { from: 'src/lib/dns', may: [] },
  // Node's own IDNA, and the Public Suffix List: never in a Workflow, whose replay must not depend on their data.
  { from: 'src/lib/mail-rules', may: ['src/lib/dns'], packages: ['node:net', 'node:url'] },
  { from: 'src/lib/waiting', may: [], packages: ['@temporalio/workflow'] },
  { from: 'src/lib/sealing.ts', may: [], packages: ['node:crypto'] },
  { from: 'src/lib/settings.ts', may: [], packages: [] },

  // Everything on a laptop.
  {
    from: 'src/dev',
    may: [
      'src/client',
      'src/store',
      'src/workflows/search-attributes.ts',
      'src/email-service',
      'src/lib',
      'src/config.ts',
      'src/server.ts',
      'src/worker.ts',
    ],
    types: ['src/agents-md'],
  },
];

/** Only these may import from `src/dev`. */
export const devImporters = ['src/dev', 'src/cli', 'test'];
