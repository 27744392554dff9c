import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeTemplates } from '../../support/postgres/provide-postgres.ts';
import { findPostgres, startPostgres } from '../../support/postgres/postgres-cluster.ts';
import { testDatabase } from '../../support/test-database.ts';
import { startTestApi } from '../../email-service/support/test-api.ts';
import { codeHosts } from '../../../src/agents-md/code-hosts.ts';
import { startCodeHost } from '../../../src/dev/code-host/start-code-host.ts';
import { startDevEnvironment } from '../../../src/dev/dev-environment.ts';
import { serveOnLoopback } from '../../../src/dev/serve-on-loopback.ts';
import type { Suite, SuiteRun, Verdict } from '../suite.ts';

/** Not `positive_data_acceptance`: the rules for domains, addresses and durations are stricter than their schemas. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'missing_required_header',
  'unsupported_method',
  'use_after_free',
  'ignored_auth',
];

/** 503 of `/readyz` says that Temporal is slow to answer, as it may be on a busy machine: an answer, and no error of the program. */
const CONFIG = `[[operations]]
include-path = "/readyz"
checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
`;

/** The same requests on every run. */
const SEED = 1;
const EXAMPLES = 40;
const READY_SECONDS = 5;

interface Report {
  readonly failures: readonly { readonly title: string; readonly operations: readonly string[] }[];
  readonly errors: readonly { readonly title: string; readonly count: number }[];
  readonly operations: { readonly tested: number };
  readonly test_cases: { readonly generated: number };
}

interface Target {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** Each program as it really runs: the email service on a real database, the orchestrator with Temporal and its Workers. */
const programs: Readonly<Record<string, (folder: string, postgresUrl: string | undefined) => Promise<Target>>> = {
  'email service': async (_folder, postgresUrl) => {
    const api = await startTestApi({}, testDatabase('email-service', postgresUrl));
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
    return { url, token: await api.openAccount('judged'), stop: () => api.end() };
  },
  orchestrator: async (folder, postgresUrl) => {
    const database = postgresUrl === undefined ? undefined : await testDatabase('orchestrator', postgresUrl);
    // Generated organizations must not be looked for at the public hosts.
    const codeHost = await startCodeHost({ repositories: [] });
    const backend = await serveOnLoopback((_request, response) => response.writeHead(204).end());
    const deployment = await startDevEnvironment({
      dataFolder: join(folder, postgresUrl === undefined ? 'deployment' : 'deployment-on-postgresql'),
      environment: process.env,
      report: () => undefined,
      isTemporary: true,
      settings: {
        ...(database === undefined ? {} : { SENDOFF_DATABASE_URL: database.url }),
        SENDOFF_NOTIFICATION_URL: backend.url,
        SENDOFF_NOTIFICATION_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
        AGENTS_MD_CONTACT: 'judge@sendoff.test',
        AGENTS_MD_HOST_URLS: JSON.stringify(
          Object.fromEntries(Object.keys(codeHosts).map((host) => [host, codeHost.urls])),
        ),
      },
    });
    return {
      url: deployment.apiUrl,
      token: deployment.folder.saved.apiToken,
      stop: async () => {
        await deployment.stop();
        await codeHost.stop();
        await backend.stop();
        await database?.end();
      },
    };
  },
};

/** The HTTP APIs of both programs, called by a generator that knows nothing but their OpenAPI documents. */
export const requests: Suite = {
  name: 'requests',
  title: 'requests that schemathesis generates from the OpenAPI documents of both programs',
  debian: {},
  python: true,
  async *run(suiteRun) {
    const binaries = findPostgres();
    if (binaries === undefined && process.env['CI'] !== undefined)
      throw new Error('PostgreSQL is not installed: apt-get install postgresql');
    const postgres = binaries === undefined ? undefined : await startPostgres({ binaries });
    try {
      if (postgres !== undefined) await makeTemplates(postgres.url);
      const databases = postgres === undefined ? [undefined] : [undefined, postgres.url];
      // The programs side by side, because the generator waits for most answers; a process has one orchestrator at a time.
      const judged = await Promise.all(
        Object.keys(programs).map((program) => Readable.from(judgeOn(suiteRun, program, databases)).toArray()),
      );
      yield* judged.flat() as Verdict[];
    } finally {
      await postgres?.stop();
    }
  },
};

async function* judgeOn(
  suiteRun: SuiteRun,
  program: string,
  databases: readonly (string | undefined)[],
): AsyncGenerator<Verdict> {
  for (const postgresUrl of databases) {
    const target = await programs[program]?.(suiteRun.folder, postgresUrl);
    if (target === undefined) continue;
    try {
      // The cases of `coverage`, most of all, are about what a schema allows, which no database decides.
      yield* postgresUrl === undefined
        ? judge(program, target, 'examples,coverage,fuzzing', suiteRun)
        : judge(`${program} on PostgreSQL`, target, 'examples,fuzzing', suiteRun);
    } finally {
      await target.stop();
    }
  }
}

async function* judge(
  program: string,
  { url, token }: Target,
  phases: string,
  { tools, folder, wants, signal }: SuiteRun,
): AsyncGenerator<Verdict> {
  const document = (await (await fetch(`${url}/openapi.json`, { signal })).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const config = join(folder, 'schemathesis.toml');
  await writeFile(config, CONFIG);
  const run = async (...only: readonly string[]): Promise<{ readonly report: Report; readonly stdout: string }> => {
    const file = join(folder, `${program.replaceAll(' ', '-')}.json`);
    const { stdout } = await promisify(execFile)(
      join(dirname(tools.python ?? ''), 'st'),
      [
        ...[
          '--config-file',
          config,
          'run',
          `${url}/openapi.json`,
          '--header',
          `Authorization: Bearer ${token}`,
          ...only,
        ],
        ...['--checks', CHECKS.join(','), '--phases', phases, '--continue-on-failure'],
        ...['--max-examples', String(EXAMPLES), '--seed', String(SEED)],
        ...['--report', 'json', '--report-json-path', file],
        // How many of its own examples a schema lets through is no property of the service.
        ...['--suppress-health-check', 'all'],
      ],
      { cwd: folder, signal, maxBuffer: 64_000_000 },
    ).catch((error: unknown) => error as { stdout: string });
    return { report: JSON.parse(await readFile(file, 'utf8')) as Report, stdout };
  };
  const first = await run();
  const { errors, test_cases } = first.report;
  // A machine that stalls makes a program answer 503, rightly. The same requests follow once more when it is ready again.
  const differing = first.report.failures.flatMap((failure) => failure.operations);
  if (differing.length > 0) await ready(url, signal);
  const { report, stdout } =
    differing.length === 0
      ? first
      : await run(...differing.flatMap((operation) => ['--include-path', operation.split(' ')[1] ?? '']));
  const { failures } = report;
  for (const operation of operations) {
    const name = `${program}: ${operation}`;
    if (!wants(name)) continue;
    const failed = failures.filter((failure) => failure.operations.includes(operation)).map(({ title }) => title);
    yield {
      case: name,
      judge: 'schemathesis',
      theirs: failed.length === 0 ? 'as documented' : failed.join('; '),
      ours: 'as documented',
      detail: aboutOperation(stdout, operation),
    };
  }
  const unread = errors.map(({ title, count }) => `${title} (${String(count)})`).join('; ');
  yield {
    case: `${program}: every request could be made`,
    judge: 'schemathesis',
    theirs:
      unread === '' && test_cases.generated > (operations.length * EXAMPLES) / 2
        ? 'yes'
        : `${String(test_cases.generated)} made; ${unread}`,
    ours: 'yes',
  };
}

/** Returns once the program has been ready for a while, or not within a minute: the requests that follow then show it. */
async function ready(url: string, signal: AbortSignal): Promise<void> {
  let readyInARow = 0;
  for (let seconds = 0; seconds < 60 && readyInARow < READY_SECONDS; seconds += 1) {
    const { ok } = await fetch(`${url}/readyz`, { signal });
    readyInARow = ok ? readyInARow + 1 : 0;
    await sleep(1_000, undefined, { signal });
  }
}

/** The failures of one operation, as schemathesis prints them under a line of underscores with its name. */
function aboutOperation(stdout: string, operation: string): string {
  const sections = stdout.split(/^_{3,} (.+) _{3,}$/m);
  const index = sections.indexOf(operation);
  return index === -1 ? '' : (sections[index + 1] ?? '').slice(0, 3_000);
}
