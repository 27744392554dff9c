// vitest's globalSetup: the servers are got once, before the first test file and outside its time limits, because a run
// on an empty cache downloads or compiles them. Names what was found; what was not found fails the tests that want it.
import type { TestProject } from 'vitest/node';
import { cacheFolder } from '../../src/dev/temporal/cache-folder.ts';
import { findTemporalCli } from '../../src/dev/temporal/find-temporal-cli.ts';
import { classArchiveOptions } from './temporal-servers/class-archive.ts';
import { findTestServer } from './temporal-servers/find-test-server.ts';

export interface FoundProgram {
  readonly path: string;
  /** That it is to be started with. */
  readonly jvmOptions?: readonly string[];
}

/** A program, or why there is none. */
export type Found = FoundProgram | { readonly failure: string };

export interface FoundServers {
  readonly cli: Found;
  readonly testServer: Found;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly temporalServers: FoundServers | undefined;
  }
}

export default async function provideTemporalServers(project: TestProject): Promise<void> {
  const run = project.vitest.getRootProject();
  // Another project has found them.
  if (run.getProvidedContext().temporalServers !== undefined) return;
  const [cli, testServer] = await Promise.all([findCli(), findTimeSkippingServer()]);
  run.provide('temporalServers', { cli, testServer });
}

export function findCli(): Promise<Found> {
  return outcome(
    findTemporalCli({
      temporalCliPath: process.env['TEMPORAL_CLI_PATH'],
      path: process.env['PATH'] ?? '',
      cacheFolder: cacheFolder(),
      report,
    }),
  );
}

export async function findTimeSkippingServer(): Promise<Found> {
  const found = await outcome(
    findTestServer({
      testServerPath: process.env['TEMPORAL_TEST_SERVER_PATH'],
      path: process.env['PATH'] ?? '',
      cacheFolder: cacheFolder(),
      report,
    }),
  );
  return 'failure' in found ? found : { ...found, jvmOptions: await classArchiveOptions(found.path, report) };
}

function report(line: string): void {
  process.stderr.write(`[temporal] ${line}\n`);
}

function outcome(finding: Promise<string>): Promise<Found> {
  return finding.then(
    (path) => ({ path }),
    (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
  );
}
