import { execFile } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildWithGo } from '../../../src/dev/temporal/build-with-go.ts';
import { executableOnPath } from '../../../src/dev/temporal/executable-on-path.ts';
import { type CachedWay, cachedWays } from '../../../src/dev/temporal/find-executable.ts';
import { firstThatWorks, type Way } from '../../../src/dev/temporal/first-that-works.ts';
import type { ReportLine } from '../../../src/dev/temporal/run-command.ts';

/** The release that production runs, with its schema. */
export const TEMPORAL_SERVER_VERSION = '1.32.0';

const SERVER = 'temporal-server';
const SQL_TOOL = 'temporal-sql-tool';
/** A virus scanner may delay the first start. */
const PROBE_TIMEOUT_MS = 30_000;

/** Paths of the two executables of a server with a database, as Temporal's releases name them. */
export interface TemporalServerPrograms {
  readonly server: string;
  /** Creates databases and has the schemas in it. */
  readonly sqlTool: string;
}

export interface FindTemporalServerOptions {
  /** The PATH variable. */
  readonly path: string;
  readonly cacheFolder: string;
  readonly report: ReportLine;
  /** Kills a running build. */
  readonly signal?: AbortSignal | undefined;
}

/** The production server: on the PATH, cached, or compiled. Throws with all reasons if there is none. */
export async function findTemporalServer({
  path,
  cacheFolder,
  report,
  signal,
}: FindTemporalServerOptions): Promise<TemporalServerPrograms> {
  const server = await firstThatWorks({
    wanted: `Temporal server ${TEMPORAL_SERVER_VERSION}`,
    ways: [
      onPath(path),
      ...cachedWays([compile(report, signal)], { path, cacheFolder, problem: serverProblem, report }),
    ],
    advice: `Install Go, or put ${SERVER} and ${SQL_TOOL} of a Temporal release on the PATH`,
    report,
    signal,
  });
  return { server, sqlTool: sqlToolBeside(server) };
}

function onPath(path: string): Way<string> {
  return {
    name: `\`${SERVER}\` on the PATH`,
    absent: 'not found',
    get: async () => {
      const executable = await executableOnPath(SERVER, path);
      if (executable === undefined) return undefined;
      const problem = await serverProblem(executable);
      if (problem !== undefined) throw new Error(problem);
      return executable;
    },
  };
}

function compile(report: ReportLine, signal: AbortSignal | undefined): CachedWay {
  return {
    name: `\`go install\` of version ${TEMPORAL_SERVER_VERSION}`,
    cacheName: `temporal-server-go-${TEMPORAL_SERVER_VERSION}`,
    executableInFolder: SERVER,
    needs: ['go'],
    make: async (folder) => {
      const module = 'go.temporal.io/server';
      const commands = [`${module}/cmd/server`, `${module}/cmd/tools/sql`];
      await buildWithGo({
        ...{ name: 'the Temporal server', version: TEMPORAL_SERVER_VERSION },
        ...{ commands, folder, report, signal },
      });
      const made = join(folder, 'made');
      await mkdir(made);
      // Go names an executable after the folder of its sources.
      await rename(join(folder, 'server'), join(made, SERVER));
      await rename(join(folder, 'sql'), join(made, SQL_TOOL));
      return made;
    },
  };
}

const sqlToolBeside = (server: string): string => join(server, '..', SQL_TOOL);

/** Both must be of one version: the server refuses a schema that is older than itself. */
async function serverProblem(server: string): Promise<string | undefined> {
  for (const executable of [server, sqlToolBeside(server)]) {
    try {
      const { stdout } = await promisify(execFile)(executable, ['--version'], { timeout: PROBE_TIMEOUT_MS });
      if (stdout.trim().endsWith(` version ${TEMPORAL_SERVER_VERSION}`)) continue;
      return `${executable} --version prints ${JSON.stringify(stdout.slice(0, 80))} and not ${TEMPORAL_SERVER_VERSION}`;
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n', 1);
      return `${executable} --version failed (${reason})`;
    }
  }
  return undefined;
}
