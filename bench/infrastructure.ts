import { databaseAt } from '../src/cli/databases/program-databases.ts';
import { startDevServer } from '../src/dev/temporal/start-dev-server.ts';
import { setUpNamespaces } from '../src/lib/temporal/setup/set-up-temporal.ts';
import { withConnection } from '../src/lib/temporal/with-connection.ts';
import { waitUntil } from '../src/lib/timing/wait-until.ts';
import { portAnswers } from '../src/dev/temporal/free-port.ts';
import { searchAttributeKeys } from '../src/workflows/search-attributes.ts';
import type { ProductionPrograms } from '../test/deployment/find-production.ts';
import { BACKGROUND_NAMESPACE, EMAIL_SERVICE_NAMESPACE, NAMESPACE } from '../test/deployment/infrastructure.ts';
import { openLog } from '../test/deployment/open-log.ts';
import { superviseTemporalServer } from '../test/deployment/supervised-temporal-server.ts';
import { asAdministrator, startPostgres } from '../test/support/postgres/postgres-cluster.ts';
import type { MeasuredProcess } from './process-usage.ts';
import type { Bench } from './scenario.ts';

export interface Infrastructure {
  readonly temporalAddress: string;
  readonly databases: Databases;
  readonly processes: readonly MeasuredProcess[];
}

/** URLs of the databases of both programs, which have all tables. */
export interface Databases {
  readonly orchestrator: string;
  readonly emailService: string;
  /** Another one of the email service, which no program uses. */
  readonly outbox: string;
}

/** A new Temporal server with both Namespaces, and new databases: SQLite beside the dev server, else PostgreSQL for all. */
export async function startInfrastructure(bench: Bench): Promise<Infrastructure> {
  const { temporal } = bench;
  const started =
    temporal.kind === 'dev'
      ? await startEmbedded(bench, temporal.cli)
      : await startProduction(bench, temporal.production);
  await databaseAt('orchestrator', started.databases.orchestrator, {}).migrate();
  await databaseAt('email-service', started.databases.emailService, {}).migrate();
  await databaseAt('email-service', started.databases.outbox, {}).migrate();
  return started;
}

async function startEmbedded({ inside, closers, signal }: Bench, cli: string): Promise<Infrastructure> {
  const server = await startDevServer({
    ...{ executable: cli, namespace: NAMESPACE, otherNamespaces: [BACKGROUND_NAMESPACE, EMAIL_SERVICE_NAMESPACE] },
    ...{ searchAttributes: searchAttributeKeys, signal },
  });
  closers.add(() => server.stop());
  return {
    temporalAddress: server.address,
    databases: {
      orchestrator: `file:${inside('sendoff.db')}`,
      emailService: `file:${inside('email-service.db')}`,
      outbox: `file:${inside('outbox.db')}`,
    },
    processes: [{ name: 'Temporal', pid: server.pid }],
  };
}

const DATABASE = 'sendoff';
const OUTBOX_DATABASE = 'outbox';
const STARTED_WITHIN_MS = 60_000;

async function startProduction(
  { inside, closers, signal }: Bench,
  { binaries, temporalServer }: ProductionPrograms,
): Promise<Infrastructure> {
  const postgres = await startPostgres({ binaries, durable: true });
  closers.add(() => postgres.stop());
  await asAdministrator(postgres.url, [`create database ${DATABASE}`, `create database ${OUTBOX_DATABASE}`]);
  const log = openLog(inside('temporal.log'));
  closers.add(() => log.stop());
  const server = await superviseTemporalServer({
    ...{ programs: temporalServer, postgresUrl: postgres.url, log: log.write },
    dynamicConfigFile: inside('temporal-dynamic-config.yaml'),
  });
  closers.add(() => server.stop());
  const { address } = server;
  const port = Number(address.split(':').at(-1));
  await waitUntil(() => portAnswers(port), { timeoutMs: STARTED_WITHIN_MS });
  await withConnection({ address }, (connection) =>
    setUpNamespaces({
      ...{ connection, address, searchAttributes: searchAttributeKeys, signal },
      ...{ namespace: NAMESPACE, otherNamespaces: [BACKGROUND_NAMESPACE, EMAIL_SERVICE_NAMESPACE] },
    }),
  );
  const database = `${postgres.url}/${DATABASE}`;
  return {
    temporalAddress: address,
    databases: { orchestrator: database, emailService: database, outbox: `${postgres.url}/${OUTBOX_DATABASE}` },
    processes: [
      { name: 'Temporal', pid: server.pid() },
      { name: 'PostgreSQL', pid: postgres.pid },
    ],
  };
}
