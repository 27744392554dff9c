import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildWithGo, goCliVersion } from './build-with-go.ts';
import { downloadWithSdk, sdkVersion } from './download-with-sdk.ts';
import { executableOnPath } from './executable-on-path.ts';
import { type CachedWay, cachedWays, namedByVariable } from './find-executable.ts';
import { firstThatWorks } from './first-that-works.ts';
import type { Report } from './run-command.ts';

/** A first start may be held up by a virus scanner; a program that hangs must not hold us up for ever. */
const PROBE_TIMEOUT_MS = 30_000;

export interface FindTemporalCliOptions {
  /** TEMPORAL_CLI_PATH: taken as it is, or an error. */
  readonly temporalCliPath?: string | undefined;
  /** The PATH variable. */
  readonly path: string;
  readonly cacheFolder: string;
  readonly report: Report;
  /** Kills a download or a build that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** Path of a Temporal CLI that runs: the user's own, a cached, a downloaded or a compiled one. Throws with every reason when there is none. */
export async function findTemporalCli(options: FindTemporalCliOptions): Promise<string> {
  const { temporalCliPath, path, cacheFolder, report, signal } = options;
  if (temporalCliPath !== undefined && temporalCliPath !== '') {
    return await namedByVariable('TEMPORAL_CLI_PATH', temporalCliPath, cliProblem);
  }
  const onPath = { name: '`temporal` on the PATH', absent: 'there is none', get: () => cliOnPath(path) };
  return await firstThatWorks({
    wanted: 'Temporal CLI',
    ways: [onPath, ...cachedWays(cliWays(report, signal), { path, cacheFolder, problem: cliProblem, report })],
    advice:
      'Install the Temporal CLI (https://docs.temporal.io/cli/setup-cli), name one in TEMPORAL_CLI_PATH, ' +
      'or name a running server in TEMPORAL_ADDRESS.',
    report,
    signal,
  });
}

/** What is wrong with this Temporal CLI, as part of a sentence. Undefined: it runs. */
export async function cliProblem(executable: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(executable, ['--version'], { timeout: PROBE_TIMEOUT_MS });
    if (stdout.startsWith('temporal version ')) return undefined;
    return `${executable} --version says ${JSON.stringify(stdout.slice(0, 80))}, which is not the Temporal CLI`;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n', 1);
    return `${executable} --version does not run (${reason})`;
  }
}

async function cliOnPath(path: string): Promise<string | undefined> {
  const executable = await executableOnPath('temporal', path);
  if (executable === undefined) return undefined;
  const problem = await cliProblem(executable);
  if (problem !== undefined) throw new Error(problem);
  return executable;
}

function cliWays(report: Report, signal: AbortSignal | undefined): CachedWay[] {
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
    name: `\`go install\` of version ${goCliVersion}`,
    cacheName: `temporal-cli-go-${goCliVersion}`,
    needs: ['go'],
    make: (folder) => buildWithGo({ folder, report, signal }),
  };
  // On Windows the download has no fallback: `env`, which the build needs, is not there.
  return process.platform === 'win32' ? [download] : [download, compile];
}
