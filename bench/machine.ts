import { execFile } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { promisify } from 'node:util';
import sendoff from '../package.json' with { type: 'json' };
import { TEMPORAL_SERVER_VERSION } from '../test/support/temporal-servers/find-temporal-server.ts';
import type { TemporalPrograms } from './scenario.ts';

/** `2 cores of Intel(R) Xeon(R) CPU, 24 GB, linux x64` */
export function machine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'an unknown processor';
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} cores of ${model}, ${gigabytes} GB, ${process.platform} ${process.arch}`;
}

/** `sendoff 0.1.0`, Node, the SDK, the Temporal server, and PostgreSQL where it is used. */
export async function versions(temporal: TemporalPrograms): Promise<readonly string[]> {
  const own = [`sendoff ${sendoff.version}`, `Node ${process.version.slice(1)}`];
  const sdk = `Temporal SDK ${sendoff.dependencies['@temporalio/worker']}`;
  return [...own, sdk, ...(temporal.kind === 'dev' ? [await printed(temporal.cli, '--version')] : [])].concat(
    temporal.kind === 'postgres'
      ? [
          `Temporal server ${TEMPORAL_SERVER_VERSION}`,
          await printed(`${temporal.production.binaries}/postgres`, '--version'),
        ]
      : [],
  );
}

const printed = async (executable: string, flag: string): Promise<string> =>
  (await promisify(execFile)(executable, [flag])).stdout.trim();
