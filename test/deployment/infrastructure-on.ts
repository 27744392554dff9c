import type { DataFolder } from '../../src/dev/data-folder.ts';
import type { Database } from '../crash/crash-plan.ts';
import { findCli } from '../support/find-temporal-servers.ts';
import type { ProgramRun } from '../support/run-program.ts';
import { startEmbeddedInfrastructure } from './embedded-infrastructure.ts';
import { findProduction } from './find-production.ts';
import type { Infrastructure } from './infrastructure.ts';
import { startProductionInfrastructure } from './production-infrastructure.ts';

/** Finds the servers of one database, and says how they are started. `durable`: PostgreSQL survives its own death. */
export async function infrastructureOn(
  database: Database,
  { durable, report, signal }: Pick<ProgramRun, 'report' | 'signal'> & { readonly durable: boolean },
): Promise<(dataFolder: DataFolder) => Promise<Infrastructure>> {
  if (database === 'sqlite') {
    const temporal = await findCli();
    if ('failure' in temporal) throw new Error(temporal.failure);
    return ({ inside }) => startEmbeddedInfrastructure({ inside, temporalCli: temporal.path });
  }
  const production = await findProduction({ report, signal });
  return ({ inside }) => startProductionInfrastructure({ ...production, inside, durable, report });
}
