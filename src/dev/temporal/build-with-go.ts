import { join } from 'node:path';
import { type Report, runCommand } from './run-command.ts';

/** The last release that `go install` accepts: the go.mod of later ones has a `replace` directive. */
export const goCliVersion = '1.5.1';

export interface BuildWithGoOptions {
  /** An empty folder. */
  readonly folder: string;
  readonly report: Report;
  /** Kills the compiler. */
  readonly signal?: AbortSignal | undefined;
}

/** Compiles the Temporal CLI and returns the path of the executable. It takes minutes, and 1.4 GB of Go's build cache. */
export async function buildWithGo({ folder, report, signal }: BuildWithGoOptions): Promise<string> {
  report(`Compiling the Temporal CLI ${goCliVersion} with Go; the first time takes minutes`);
  await runCommand({
    // `go install` reads its target folder from an environment variable only.
    command: 'env',
    args: [
      `GOBIN=${folder}`,
      ...['go', 'install', '-v', '-ldflags', '-s -w'],
      `github.com/temporalio/cli/cmd/temporal@v${goCliVersion}`,
    ],
    folder,
    title: 'Compiling the Temporal CLI',
    report,
    progress: (lines) => lines,
    describe: (lines) => (lines === 0 ? undefined : `${String(lines)} packages downloaded or compiled`),
    // Go prints nothing while it compiles the SQLite package and while it links.
    stalledAfterMs: { start: 60_000, later: 300_000 },
    signal,
  });
  return join(folder, 'temporal');
}
