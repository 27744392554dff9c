import { type ReportLine, runCommand } from './run-command.ts';

export interface BuildWithGoOptions {
  /** For progress: "the Temporal CLI". */
  readonly name: string;
  readonly version: string;
  /** Import paths of commands that have this version. */
  readonly commands: readonly string[];
  /** An empty folder, which receives the executables. */
  readonly folder: string;
  readonly report: ReportLine;
  /** Kills the compiler. */
  readonly signal?: AbortSignal | undefined;
}

/** Compiles commands of a Go module. It takes minutes, and more than 1 GB of Go's build cache. */
export async function buildWithGo({
  name,
  version,
  commands,
  folder,
  report,
  signal,
}: BuildWithGoOptions): Promise<void> {
  report(`Compiling ${name} ${version} with Go; the first time takes minutes`);
  await runCommand({
    // `go install` reads its target folder from an environment variable only.
    command: 'env',
    args: [
      `GOBIN=${folder}`,
      // The compiler uses every processor for minutes; whatever else runs on the machine comes first.
      ...['nice', '-n', '10'],
      ...['go', 'install', '-v', '-ldflags', '-s -w'],
      ...commands.map((command) => `${command}@v${version}`),
    ],
    folder,
    title: `Compiling ${name}`,
    report,
    progress: (lines) => lines,
    describe: (lines) => (lines === 0 ? undefined : `${String(lines)} packages downloaded or compiled`),
    // Go prints nothing while it compiles the SQLite package and while it links, which may be all there is to do.
    stalledAfterMs: { start: 180_000, later: 300_000 },
    signal,
  });
}
