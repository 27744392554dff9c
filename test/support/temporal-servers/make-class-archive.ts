import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { killTied } from '../../../src/dev/temporal/spawn-tied.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { startTestServer } from './start-test-server.ts';

const ENDS_WITHIN_MS = 60_000;

export interface MakeClassArchiveOptions {
  readonly path: string;
  /** The name, in the server's folder, of what is in this file. */
  readonly made: (file: string) => Promise<string>;
}

/** Archives what the server loads for a Namespace and a Workflow. Other runs may do so at the same time. */
export async function makeClassArchive({ path, made }: MakeClassArchiveOptions): Promise<void> {
  const file = join(dirname(path), `${randomUUID()}.making`);
  const { address, child } = await startTestServer({
    path,
    jvmOptions: [`-XX:ArchiveClassesAtExit=${file}`, '-Xlog:disable'],
    searchAttributes: searchAttributeKeys,
  });
  try {
    const connection = await Connection.connect({ address });
    const workflow = { workflowId: 'archived', taskQueue: 'archived' };
    await (await new Client({ connection }).workflow.start('archived', workflow)).terminate();
    await connection.close();
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(ENDS_WITHIN_MS) });
    child.kill('SIGTERM');
    await ended;
    await rename(file, join(dirname(path), await made(file)));
  } finally {
    killTied(child);
    await rm(file, { force: true });
  }
}
