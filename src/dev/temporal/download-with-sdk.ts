import { readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Report, runCommand } from './run-command.ts';

const require = createRequire(import.meta.url);

/** The SDK's download service chooses the release that fits the SDK, so the SDK's version names what was downloaded. */
export const sdkVersion: string = readSdkVersion();

/** Which server, and how `TestWorkflowEnvironment` calls it. */
type SdkServer = 'createLocal' | 'createTimeSkipping';

export interface DownloadWithSdkOptions {
  readonly server: SdkServer;
  /** An empty folder. */
  readonly folder: string;
  readonly report: Report;
  /** The program that downloads into the folder, run by Node; given by tests. @default the SDK's own download */
  readonly program?: string;
  /** @default 10 s until the first byte (nobody waits longer for a service that cannot be reached), then 60 s without one */
  readonly stalledAfterMs?: { readonly start: number; readonly later: number };
  /** Kills the program. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Has the SDK download one of its servers and returns the path of the executable. The download runs in a process of its
 * own, because the SDK gives it no time limit and a call in this process could not be ended.
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
    describe: (bytes) => (bytes === 0 ? 'no byte yet' : `${(bytes / 1_000_000).toFixed(1)} MB unpacked`),
    stalledAfterMs: options.stalledAfterMs ?? { start: 10_000, later: 60_000 },
    signal: options.signal,
  }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  // After a download the SDK starts the server once and gives it 5 s, too little for a first start that a virus scanner
  // looks into. The whole file has its final name then, and whether it runs is asked by our caller.
  const executable = await finishedDownload(folder);
  if (executable !== undefined) return executable;
  throw failure ?? new Error('the SDK ended its download without leaving a file');
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

/** Core writes to a file that ends in ".downloading" and renames it when it is whole. */
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
  throw new Error('The package.json of @temporalio/testing names no version.');
}
