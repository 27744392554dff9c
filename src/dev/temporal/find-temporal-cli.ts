import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildWithGo } from './build-with-go.ts';
import { downloadWithSdk, sdkVersion } from './download-with-sdk.ts';
import { executableOnPath } from './executable-on-path.ts';
import { type CachedWay, cachedWays, namedByVariable } from './find-executable.ts';
import { firstThatWorks } from './first-that-works.ts';
import type { ReportLine } from './run-command.ts';

/** The last release that `go install` accepts: the go.mod of later ones has a `replace` directive. */
const GO_CLI_VERSION = '1.5.1';

/** A virus scanner may delay the first start. */
const PROBE_TIMEOUT_MS = 30_000;

export interface FindTemporalCliOptions {
  /** TEMPORAL_CLI_PATH; throws if it does not run. */
  readonly temporalCliPath?: string | undefined;
  /** The PATH variable. */
  readonly path: string;
  readonly cacheFolder: string;
  readonly report: ReportLine;
  /** Kills a running download or build. */
  readonly signal?: AbortSignal | undefined;
}

/** The path of a Temporal CLI that runs: the user's, a cached, a downloaded or a compiled one. Throws with all reasons if none does. */
export async function findTemporalCli(options: FindTemporalCliOptions): Promise<string> {
  const { temporalCliPath, path, cacheFolder, report, signal } = options;
  if (temporalCliPath !== undefined && temporalCliPath !== '') {
    return await namedByVariable('TEMPORAL_CLI_PATH', temporalCliPath, cliProblem);
  }
  const onPath = { name: '`temporal` on the PATH', absent: 'not found', get: () => cliOnPath(path) };
  return await firstThatWorks({
    wanted: 'Temporal CLI',
    ways: [onPath, ...cachedWays(cliWays(report, signal), { path, cacheFolder, problem: cliProblem, report })],
    advice:
      'Install the Temporal CLI (https://docs.temporal.io/cli/setup-cli), or set TEMPORAL_CLI_PATH to its path, ' +
      'or TEMPORAL_ADDRESS to a running server',
    report,
    signal,
  });
}

export async function cliProblem(executable: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(executable, ['--version'], { timeout: PROBE_TIMEOUT_MS });
    if (stdout.startsWith('temporal version ')) return undefined;
    return `${executable} --version prints ${JSON.stringify(stdout.slice(0, 80))}, so it is not the Temporal CLI`;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n', 1);
    return `${executable} --version failed (${reason})`;
  }
}

async function cliOnPath(path: string): Promise<string | undefined> {
  const executable = await executableOnPath('temporal', path);
  if (executable === undefined) return undefined;
  const problem = await cliProblem(executable);
  if (problem !== undefined) throw new Error(problem);
  return executable;
}

function cliWays(report: ReportLine, signal: AbortSignal | undefined): CachedWay[] {
  const download: CachedWay = {
    name: 'the download of the Temporal SDK',
    cacheName: `temporal-cli-sdk-${sdkVersion}`,
    needs: [],
    make: (folder) => {
      report('Downloading the Temporal CLI');
      return downloadWithSdk({ server: 'createLocal', folder, report, signal });
    },
  };
  const compile: CachedWay = {
    name: `\`go install\` of version ${GO_CLI_VERSION}`,
    cacheName: `temporal-cli-go-${GO_CLI_VERSION}`,
    needs: ['go'],
    make: async (folder) => {
      const commands = ['github.com/temporalio/cli/cmd/temporal'];
      await buildWithGo({ name: 'the Temporal CLI', version: GO_CLI_VERSION, commands, folder, report, signal });
      return join(folder, 'temporal');
    },
  };
  // The build needs `env`, which Windows does not have.
  return process.platform === 'win32' ? [download] : [download, compile];
}
