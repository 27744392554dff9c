import type { TestProject } from 'vitest/node';
import { cacheFolder } from '../../src/dev/temporal/cache-folder.ts';
import { findPostgres } from '../support/postgres/postgres-cluster.ts';
import { findTemporalServer, type TemporalServerPrograms } from '../support/temporal-servers/find-temporal-server.ts';

export interface ProductionPrograms {
  /** The folder of PostgreSQL's executables. */
  readonly binaries: string;
  readonly temporalServer: TemporalServerPrograms;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Or why there is none. */
    readonly production: ProductionPrograms | { readonly failure: string };
  }
}

/** vitest's globalSetup: the Temporal server is compiled once, before the first test file and outside its time limits. */
export default async function provideProduction(project: TestProject): Promise<void> {
  const report = (line: string): void => void process.stderr.write(`[production] ${line}\n`);
  project.provide(
    'production',
    await findProduction({ report }).catch((error: unknown) => ({ failure: (error as Error).message })),
  );
}

/** Finds what a production deployment runs on, and compiles the Temporal server if necessary. Throws with what is missing. */
export async function findProduction({
  report,
  signal,
}: {
  readonly report: (line: string) => void;
  readonly signal?: AbortSignal;
}): Promise<ProductionPrograms> {
  const binaries = findPostgres();
  // Before minutes of compiling.
  if (binaries === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const temporalServer = await findTemporalServer({
    path: process.env['PATH'] ?? '',
    cacheFolder: cacheFolder(),
    report,
    signal,
  });
  return { binaries, temporalServer };
}
