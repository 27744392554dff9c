import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startTestApi } from '../../email-service/support/test-api.ts';
import type { Suite } from '../suite.ts';

/**
 * What an answer is checked for. Not `positive_data_acceptance`: an address on no verified domain is valid by its schema
 * and refused all the same.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'missing_required_header',
  'use_after_free',
  'ignored_auth',
];

/** The same requests on every run. */
const SEED = 1;
const EXAMPLES = 40;

interface Report {
  readonly failures: readonly { readonly title: string; readonly operations: readonly string[] }[];
  readonly errors: readonly { readonly title: string; readonly count: number }[];
  readonly operations: { readonly tested: number };
  readonly test_cases: { readonly generated: number };
}

/** The email service's HTTP API on a real database, asked by a generator that knows nothing but its OpenAPI document. */
export const requests: Suite = {
  name: 'requests',
  title: 'requests that schemathesis makes from the OpenAPI document of the email service',
  debian: {},
  python: true,
  async *run({ tools, folder, wants, signal }) {
    const api = await startTestApi();
    try {
      const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
      const token = await api.openAccount('judged');
      const document = (await (await fetch(`${url}/openapi.json`, { signal })).json()) as {
        paths: Record<string, Record<string, unknown>>;
      };
      const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      const report = join(folder, 'report.json');
      const output = await promisify(execFile)(
        join(dirname(tools.python ?? ''), 'st'),
        [
          ...['run', `${url}/openapi.json`, '--header', `Authorization: Bearer ${token}`],
          ...['--checks', CHECKS.join(','), '--phases', 'examples,coverage,fuzzing', '--continue-on-failure'],
          ...[
            '--max-examples',
            String(EXAMPLES),
            '--seed',
            String(SEED),
            '--report',
            'json',
            '--report-json-path',
            report,
          ],
          // How many of its own examples a schema lets through is no property of the service.
          ...['--suppress-health-check', 'all'],
        ],
        { cwd: folder, signal, maxBuffer: 64_000_000 },
      ).catch((error: unknown) => error as { stdout: string });
      const { failures, errors, test_cases } = JSON.parse(await readFile(report, 'utf8')) as Report;
      for (const operation of operations.filter(wants)) {
        const failed = failures.filter((failure) => failure.operations.includes(operation)).map(({ title }) => title);
        yield {
          case: operation,
          judge: 'schemathesis',
          theirs: failed.length === 0 ? 'as documented' : failed.join('; '),
          ours: 'as documented',
          detail: aboutOperation(output.stdout, operation),
        };
      }
      if (wants('every request')) {
        const unread = errors.map(({ title, count }) => `${title} (${String(count)})`).join('; ');
        yield {
          case: 'every request could be made',
          judge: 'schemathesis',
          theirs:
            unread === '' && test_cases.generated > (operations.length * EXAMPLES) / 2
              ? 'yes'
              : `${String(test_cases.generated)} made; ${unread}`,
          ours: 'yes',
        };
      }
    } finally {
      await api.end();
    }
  },
};

/** The failures of one operation, as schemathesis prints them under a line of underscores with its name. */
function aboutOperation(stdout: string, operation: string): string {
  const sections = stdout.split(/^_{3,} (.+) _{3,}$/m);
  const index = sections.indexOf(operation);
  return index === -1 ? '' : (sections[index + 1] ?? '').slice(0, 3_000);
}
