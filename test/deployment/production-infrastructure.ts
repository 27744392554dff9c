import { openTogether } from '../../src/lib/closers.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { ProductionPrograms } from './find-production.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { openLog } from './open-log.ts';
import { supervisePostgres } from './supervised-postgres.ts';
import { superviseTemporalServer } from './supervised-temporal-server.ts';

export interface ProductionOptions extends ProductionPrograms {
  /** Path of a file in the data folder. */
  readonly inside: (name: string) => string;
  /** Whether PostgreSQL's commits survive a power cut. */
  readonly durable: boolean;
  /** More of the Temporal server's. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly report: (line: string) => void;
}

/** Of both programs. */
const DATABASE = 'sendoff';

/** PostgreSQL, and the Temporal server of production on it. */
export const startProductionInfrastructure = (options: ProductionOptions): Promise<Infrastructure> =>
  openTogether(async (closers) => {
    const { inside, binaries, temporalServer, durable, environment = {}, report } = options;
    const log = openLog(inside('temporal.log'));
    closers.add(() => log.stop());
    report('Starting PostgreSQL');
    const postgres = await supervisePostgres({ binaries, durable, port: await freePort() });
    closers.add(() => postgres.stop());
    await postgres.execute(`create database ${DATABASE}`);
    report('Starting the Temporal server');
    const temporal = await superviseTemporalServer({
      programs: temporalServer,
      postgresUrl: postgres.url,
      dynamicConfigFile: inside('temporal-dynamic-config.yaml'),
      environment,
      log: log.write,
    });
    closers.add(() => temporal.stop());
    const database = `${postgres.url}/${DATABASE}`;
    return {
      temporal,
      postgres: [postgres],
      postgresBackends: [postgres.backend],
      databases: { orchestrator: database, emailService: database },
      isShared: true,
      stop: closers.close,
    };
  });
