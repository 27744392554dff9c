import { downloadWithSdk, sdkVersion } from './download-with-sdk.ts';
import { fetchWithMaven, mavenTestServerVersion, startScriptName } from './fetch-with-maven.ts';
import { cachedWays, namedByVariable } from './find-executable.ts';
import type { CachedWay } from './find-executable.ts';
import { firstThatWorks } from './first-that-works.ts';
import { testServerProblem } from './probe-executable.ts';
import type { Report } from './report.ts';

export interface FindTestServerOptions {
  /** TEMPORAL_TEST_SERVER_PATH: taken as it is, or an error. */
  readonly testServerPath?: string | undefined;
  /** The PATH variable. */
  readonly path: string;
  readonly cacheFolder: string;
  readonly report: Report;
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

function testServerWays(report: Report): CachedWay[] {
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
