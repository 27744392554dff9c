import { readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type ReportLine, runCommand } from './run-command.ts';

const require = createRequire(import.meta.url);

/** The SDK's download service selects the release for this SDK version, so the version identifies the download. */
export const sdkVersion: string = readSdkVersion();

/** The method of `TestWorkflowEnvironment` that downloads the server. */
type SdkServer = 'createLocal' | 'createTimeSkipping';

export interface DownloadWithSdkOptions {
  readonly server: SdkServer;
  /** An empty folder. */
  readonly folder: string;
  readonly report: ReportLine;
  /** JavaScript that downloads into the folder, for tests. @default the SDK's download */
  readonly program?: string;
  /** @default 10 s without a first byte, 60 s without further bytes */
  readonly stalledAfterMs?: { readonly start: number; readonly later: number };
  /** Kills the program. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads one of the SDK's servers and returns the path of the executable. It runs in a separate process, because the
 * SDK's download has no time limit and cannot be cancelled.
 */
export async function downloadWithSdk(options: DownloadWithSdkOptions): Promise<string> {
  const { server, folder } = options;
  const failure = await runCommand({
    command: process.execPath,
    args: ['--input-type=commonjs', '--eval', options.program ?? sdkProgram(server, folder)],
    folder,
    title: server === 'createLocal' ? 'Downloading the Temporal CLI' : 'Downloading the Temporal test server',
    report: options.report,
    progress: () => folderBytes(folder),
    describe: (bytes) => (bytes === 0 ? 'nothing received yet' : `${(bytes / 1_000_000).toFixed(1)} MB unpacked`),
    stalledAfterMs: options.stalledAfterMs ?? { start: 10_000, later: 60_000 },
    signal: options.signal,
  }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  // After the download the SDK starts the server with a limit of 5 s, too short if a virus scanner inspects it. So a
  // finished file counts despite that failure; the caller tests whether it runs.
  const executable = await finishedDownload(folder);
  if (executable !== undefined) return executable;
  throw failure ?? new Error('the SDK reported a finished download but left no file');
}

function sdkProgram(server: SdkServer, folder: string): string {
  return `
    const { TestWorkflowEnvironment } = require(${JSON.stringify(require.resolve('@temporalio/testing'))});
    TestWorkflowEnvironment.${server}({
      server: { executable: { type: 'cached-download', downloadDir: ${JSON.stringify(folder)} } },
    })
      .then((environment) => environment.teardown())
      .catch((error) => {
        console.error(error.message);
        process.exitCode = 1;
      });
  `;
}

/** The SDK renames the file, which ends in ".downloading", when it is complete. */
async function finishedDownload(folder: string): Promise<string | undefined> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith('temporal-') && !name.endsWith('.downloading') && (await stat(path)).isFile()) return path;
  }
  return undefined;
}

/** Bytes of all files in the folder and below. A file that vanishes meanwhile counts as empty. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        (found) => found.size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function readSdkVersion(): string {
  const parsed: unknown = require('@temporalio/testing/package.json');
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version);
  throw new Error('The package.json of @temporalio/testing has no version');
}
