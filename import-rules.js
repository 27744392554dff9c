// Who may import what: test/import-rules.test.ts checks it, with types and dynamic imports.

/** Parts of lib/ without I/O, clock or randomness, which Workflow code may use. */
const pureLib = [
  'counted',
  'differing-fields',
  'dns/findings/temporary-findings',
  'dns/records/value-chunks',
  'duration',
  'escape-markdown',
  'json-value',
  'timing/with-jitter',
  'tracing/trace-header',
].map((name) => `src/lib/${name}.ts`);

/**
 * `may`: what a folder may import besides itself. `types`: what it may import only as types. `packages`: the only npm packages
 * and Node builtins it may import (absent: any). The rule of the innermost folder applies.
 * @type {{ from: string, may: string[], types?: string[], packages?: string[] }[]}
 */
export const importRules = [
  // The rules: pure.
  {
    from: 'src/onboarding',
    may: pureLib,
    types: ['src/lib/dns/findings/finding.ts', 'src/lib/temporal/patches.ts'],
    packages: [],
  },
  { from: 'src/agents-md', may: pureLib, packages: [] },
  // Not in Workflow code, for its size: test/workflow-bundles.test.ts.
  { from: 'src/agents-md/parse-markdown.ts', may: [], packages: ['commonmark'] },

  // Workflows and Activities.
  {
    from: 'src/workflows',
    may: ['src/onboarding', 'src/agents-md', 'src/lib/expected-failure.ts', 'src/lib/workflow-waits', ...pureLib],
    types: ['src/activities', 'src/store'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  {
    from: 'src/activities',
    may: ['src/onboarding', 'src/agents-md', 'src/email-provider', 'src/code-host', 'src/store', 'src/lib'],
    packages: ['@temporalio/activity', '@temporalio/common', 'node:crypto'],
  },
  {
    from: 'src/email-provider',
    may: [
      'src/lib/http/limit-answers.ts',
      'src/lib/http/read-beginning.ts',
      'src/lib/http/retry-after.ts',
      'src/lib/json-value.ts',
      'src/lib/parse-json.ts',
      'src/lib/timing/share-reads.ts',
      'src/lib/timing/space-calls.ts',
      'src/lib/timing/with-deadline.ts',
      'src/lib/webhooks/read-signed-webhook.ts',
    ],
    types: ['src/onboarding', 'src/lib/dns'],
    packages: [
      ...['undici', '@smithy/signature-v4', '@opentelemetry/api'],
      ...['node:crypto', 'node:timers/promises', 'node:util', 'node:zlib'],
    ],
  },
  {
    from: 'src/conformance',
    may: ['src/activities', 'src/onboarding', 'src/email-provider', 'src/store', 'src/lib', 'src/dev'],
  },
  { from: 'src/code-host', may: ['src/agents-md', 'src/lib'], packages: ['undici', 'node:crypto'] },
  { from: 'src/store', may: ['src/onboarding', 'src/agents-md', 'src/lib'] },

  // Entry points.
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
  // The package export: it may not load what only the programs need.
  {
    from: 'src/api-client',
    may: ['src/lib'],
    packages: ['openapi-fetch', 'eventsource-parser', 'standardwebhooks', 'node:timers/promises'],
  },
  {
    from: 'src/cli',
    may: [
      'src/api-client',
      'src/client',
      'src/conformance',
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
      'src/background-namespace.ts',
      'src/config.ts',
      'src/operator-accounts.ts',
      'src/provider-settings.ts',
      'src/server.ts',
      'src/start.ts',
      'src/worker.ts',
    ],
  },

  // The second program imports nothing of the first: another provider can replace it.
  { from: 'src/email-service', may: ['src/lib'] },
  {
    from: 'src/email-service/workflows',
    may: ['src/lib/workflow-waits'],
    types: ['src/email-service/activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },

  // Libraries import nothing of the programs.
  { from: 'src/lib', may: [] },
  ...pureLib.map((from) => ({ from, may: [], types: ['src/lib/dns/findings/finding.ts'], packages: [] })),
  { from: 'src/lib/dns', may: ['src/lib/timing/settles-within.ts'] },
  // Not for Workflows: replay must not depend on Node's IDNA or the Public Suffix List.
  { from: 'src/lib/mail-rules', may: ['src/lib/dns'], packages: ['node:net', 'node:url'] },
  { from: 'src/lib/expected-failure.ts', may: [], packages: ['@temporalio/common'] },
  {
    from: 'src/lib/workflow-waits',
    may: ['src/lib/expected-failure.ts', ...pureLib],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  { from: 'src/lib/sealing.ts', may: [], packages: ['node:crypto'] },
  // Secrets may be in files.
  {
    from: 'src/lib/settings.ts',
    may: [
      'src/lib/file-fault.ts',
      'src/lib/database-url.ts',
      'src/lib/dns/networks.ts',
      'src/lib/dns/resolver/server-address.ts',
    ],
    packages: ['node:fs', 'node:net'],
  },
  { from: 'src/lib/database-url.ts', may: [], packages: [] },

  // The local deployment.
  {
    from: 'src/dev',
    may: [
      'src/client',
      'src/store',
      'src/workflows/search-attributes.ts',
      'src/email-service',
      'src/lib',
      'src/background-namespace.ts',
      'src/config.ts',
      'src/start.ts',
    ],
    types: ['src/agents-md'],
  },
];

/** Only these may import `src/dev`. */
export const devImporters = ['src/dev', 'src/cli', 'src/conformance', 'test', 'bench'];
