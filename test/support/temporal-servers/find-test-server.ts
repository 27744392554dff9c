import { spawn } from 'node:child_process';
import { downloadWithSdk, sdkVersion } from '../../../src/dev/temporal/download-with-sdk.ts';
import { type CachedWay, cachedWays, namedByVariable } from '../../../src/dev/temporal/find-executable.ts';
import { firstThatWorks } from '../../../src/dev/temporal/first-that-works.ts';
import { freePort, portAnswers } from '../../../src/dev/temporal/free-port.ts';
import type { ReportLine } from '../../../src/dev/temporal/run-command.ts';
import { waitUntil } from '../../../src/lib/timing/wait-until.ts';
import { fetchWithMaven, mavenTestServerVersion, startScriptName } from './fetch-with-maven.ts';

/** A first start may be held up by a virus scanner. */
const PROBE_TIMEOUT_MS = 30_000;

export interface FindTestServerOptions {
  /** TEMPORAL_TEST_SERVER_PATH: taken as it is, or an error. */
  readonly testServerPath?: string | undefined;
  /** The PATH variable. */
  readonly path: string;
  readonly cacheFolder: string;
  readonly report: ReportLine;
}

/** Path of a time-skipping test server that runs: a named, cached, downloaded or Maven's one. Throws with every reason when there is none. */
export async function findTestServer({
  testServerPath,
  path,
  cacheFolder,
  report,
}: FindTestServerOptions): Promise<string> {
  if (testServerPath !== undefined && testServerPath !== '') {
    return await namedByVariable('TEMPORAL_TEST_SERVER_PATH', testServerPath, testServerProblem);
  }
  return await firstThatWorks({
    wanted: 'Temporal test server',
    ways: cachedWays(testServerWays(report), { path, cacheFolder, problem: testServerProblem, report }),
    advice:
      'Allow access to https://temporal.download, install Java 11 or later and Maven, ' +
      'or name a test server in TEMPORAL_TEST_SERVER_PATH.',
    report,
  });
}

function testServerWays(report: ReportLine): CachedWay[] {
  const download: CachedWay = {
    name: 'the download of the Temporal SDK',
    cacheName: `temporal-test-server-sdk-${sdkVersion}`,
    needs: [],
    make: (folder) => {
      report('Downloading the Temporal test server');
      return downloadWithSdk({ server: 'createTimeSkipping', folder, report });
    },
  };
  const fetch: CachedWay = {
    name: `Maven's io.temporal:temporal-test-server:${mavenTestServerVersion}`,
    cacheName: `temporal-test-server-maven-${mavenTestServerVersion}`,
    needs: ['mvn', 'java'],
    executableInFolder: startScriptName,
    make: (folder) => fetchWithMaven({ folder, report }),
  };
  // On Windows the download has no fallback: the start script is one for a POSIX shell.
  return process.platform === 'win32' ? [download] : [download, fetch];
}

/** What is wrong with this test server, as part of a sentence. Undefined: it runs. It has no --version, so it is started. */
async function testServerProblem(executable: string): Promise<string | undefined> {
  const port = await freePort();
  const child = spawn(executable, [String(port)], { stdio: 'ignore' });
  let ended: string | undefined;
  child.once('error', ({ message }) => (ended = message));
  child.once(
    'exit',
    (code, signal) => (ended ??= `ended with ${code === null ? String(signal) : `exit code ${String(code)}`}`),
  );
  try {
    const answered = await waitUntil(async () => ended !== undefined || (await portAnswers(port)), {
      timeoutMs: PROBE_TIMEOUT_MS,
    });
    if (ended !== undefined) return `${executable} does not start (${ended})`;
    return answered
      ? undefined
      : `${executable} does not answer within ${String(PROBE_TIMEOUT_MS / 1_000)} s of its start`;
  } finally {
    child.kill('SIGKILL');
  }
}
