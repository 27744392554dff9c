import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { TemporalServerPrograms } from '../support/temporal-servers/find-temporal-server.ts';
import type { Restartable } from './killable.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { bareEnvironment, superviseProcess } from './supervised-process.ts';

export interface TemporalServerOptions {
  readonly programs: TemporalServerPrograms;
  /** Of a user that may create databases, without a database. */
  readonly postgresUrl: string;
  /** Written. */
  readonly dynamicConfigFile: string;
  /** More of the server's. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Takes each line that the schema tool and the server print. */
  readonly log: (line: string) => void;
}

export interface TemporalServer extends Restartable {
  /** `127.0.0.1:PORT`, the same after every start. */
  readonly address: string;
}

const LOOPBACK = '127.0.0.1';
const PLUGIN = 'postgres12_pgx';
const DATABASE = 'temporal';
const VISIBILITY_DATABASE = 'temporal_visibility';

/**
 * The Temporal server of a production deployment on PostgreSQL: creates both databases and their schema, and then runs all
 * its services in one process. Resolves when that has been started, not when it answers.
 */
export async function superviseTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  await createSchema(options);
  const { programs, postgresUrl, dynamicConfigFile, log } = options;
  await writeFile(dynamicConfigFile, DYNAMIC_CONFIG);
  const frontendPort = await freePort();
  const { hostname, port, username, password } = access(postgresUrl);
  const environment = {
    ...{ ...bareEnvironment(), ...options.environment },
    ...{ LOG_LEVEL: 'warn', DYNAMIC_CONFIG_FILE_PATH: dynamicConfigFile },
    ...{ DB: PLUGIN, POSTGRES_SEEDS: hostname, DB_PORT: port },
    ...{ POSTGRES_USER: username, POSTGRES_PWD: password },
    ...{ DBNAME: DATABASE, VISIBILITY_DBNAME: VISIBILITY_DATABASE },
    ...{ BIND_ON_IP: LOOPBACK, TEMPORAL_BROADCAST_ADDRESS: LOOPBACK },
    ...(await ports(frontendPort)),
  };
  const server = superviseProcess({
    ...{ name: 'the Temporal server', executable: programs.server },
    ...{ args: ['--allow-no-auth', 'start'], environment, log },
  });
  return { ...server, address: `${LOOPBACK}:${frontendPort}` };
}

/** For one machine: no call of Temporal's version service, and no waiting for caches after `sendoff setup`, nor for ten minutes until a Workflow Task that fails is repeated. */
const DYNAMIC_CONFIG = `frontend.enableServerVersionCheck: [{ value: false }]
system.forceSearchAttributesCacheRefreshOnRead: [{ value: true }]
history.workflowTaskRetryMaxInterval: [{ value: 10s }]
`;

/** Every service has ports of its own, also when one process runs all of them. */
async function ports(frontend: number): Promise<Record<string, string>> {
  const others = [
    ...['FRONTEND_HTTP_PORT', 'FRONTEND_MEMBERSHIP_PORT'],
    ...['HISTORY_GRPC_PORT', 'HISTORY_MEMBERSHIP_PORT'],
    ...['MATCHING_GRPC_PORT', 'MATCHING_MEMBERSHIP_PORT'],
    ...['WORKER_GRPC_PORT', 'WORKER_MEMBERSHIP_PORT'],
  ];
  const chosen: Record<string, string> = { FRONTEND_GRPC_PORT: String(frontend) };
  for (const name of others) chosen[name] = String(await freePort());
  return chosen;
}

/** As Temporal's Helm chart does it; the tool skips what is there. */
async function createSchema({ programs, postgresUrl, log }: TemporalServerOptions): Promise<void> {
  const { hostname, port, username, password } = access(postgresUrl);
  await Promise.all(
    [
      { database: DATABASE, schema: 'postgresql/v12/temporal' },
      { database: VISIBILITY_DATABASE, schema: 'postgresql/v12/visibility' },
    ].map(async ({ database, schema }) => {
      const environment = {
        ...bareEnvironment(),
        ...{ SQL_PLUGIN: PLUGIN, SQL_HOST: hostname, SQL_PORT: port },
        ...{ SQL_USER: username, SQL_PASSWORD: password, SQL_DATABASE: database },
      };
      for (const args of [
        ['create-database'],
        ['setup-schema', '--version', '0.0'],
        ['update-schema', '--schema-name', schema],
      ]) {
        await run(programs.sqlTool, args, environment, log);
      }
    }),
  );
}

function access(url: string): { hostname: string; port: string; username: string; password: string } {
  const { hostname, port, username, password } = new URL(url);
  return {
    hostname,
    port: port === '' ? '5432' : port,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

async function run(
  tool: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  log: (line: string) => void,
): Promise<void> {
  try {
    const { stdout, stderr } = await promisify(execFile)(tool, [...args], { env: environment });
    log(`${stdout}${stderr}`.trimEnd());
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').at(-1) : '';
    throw new Error(`Temporal's schema could not be created: ${args[0] ?? ''} of ${tool} failed: ${said ?? ''}`, {
      cause: error,
    });
  }
}
