import { Client, type Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { type BackendNotifications, createBackendNotifications } from './client/backend-notifications.ts';
import { isStillJoined, joinInstallation, orchestratorSettings } from './client/join-installation.ts';
import { orchestratorSingletons } from './client/orchestrator-singletons.ts';
import type { Config } from './config.ts';
import type { Closers } from './lib/closers.ts';
import { shownDatabaseUrl } from './lib/database-url.ts';
import type { Sealer } from './lib/sealing.ts';
import { proveWritable } from './lib/sql/sql-database.ts';
import { findSetupGaps } from './lib/temporal/setup/find-setup-gaps.ts';
import { requireKnownNamespace } from './lib/temporal/recognize-namespace.ts';
import { requireSetup } from './lib/temporal/setup/require-setup.ts';
import { keepSingletons, singletonState } from './lib/temporal/singletons.ts';
import type { SetupGap } from './lib/temporal/setup/setup-gap.ts';
import type { TemporalConfig } from './lib/temporal/temporal-config.ts';
import { type Database, openDatabase } from './store/database.ts';
import { matchingSealer } from './store/matching-sealer.ts';
import type { Register } from './store/register.ts';
import { createSqlRegister } from './store/sql-register.ts';
import { searchAttributeKeys } from './workflows/search-attributes.ts';

/** What the server and the worker both need; one of each in a process that is both. */
export interface OrchestratorParts {
  readonly config: Config;
  readonly client: Client;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly notifications: BackendNotifications;
  readonly register: Register;
  /** Throws if the Namespace is not the one that the database knows: it may be deleted and created again while programs run. */
  readonly requireOwnNamespace: () => Promise<unknown>;
  /** For probes. */
  readonly findSetupGaps: () => Promise<readonly SetupGap[]>;
  readonly checkDatabase: () => Promise<true>;
}

/** Probes give up after a few seconds. */
const READY_TIMEOUT_MS = 2_000;

/** Throws if Temporal is not set up, or belongs to another database. */
export async function openOrchestratorParts<Connected extends Connection | NativeConnection>(
  closers: Closers,
  {
    connect,
    config,
    temporal: { connectionOptions, namespace },
    warn,
    singletonsEveryMs,
  }: {
    connect: (options: TemporalConfig['connectionOptions']) => Promise<Connected>;
    config: Config;
    temporal: TemporalConfig;
    warn: (message: string, meta: object) => void;
    singletonsEveryMs?: number | undefined;
  },
): Promise<OrchestratorParts & { readonly connection: Connected }> {
  const connection = await connect(connectionOptions);
  closers.add(() => connection.close());
  await requireSetup(connection, namespace, searchAttributeKeys);
  const client = new Client({ connection, namespace });
  const database = await openDatabase(config.databaseUrl, config.databaseConnection);
  closers.add(() => database.destroy());
  const databaseUrl = shownDatabaseUrl(config.databaseUrl);
  const joinAsBefore = () => joinInstallation({ client, database, databaseUrl });
  const joined = await joinAsBefore();
  const requireOwnNamespace = () =>
    requireKnownNamespace({ database, connection, namespace, program: orchestratorSettings(databaseUrl) });
  const sealer = await matchingSealer(config, database);
  const singletons = orchestratorSingletons(client, config.watchIntervalMs, joinAsBefore);
  const keeper = await keepSingletons(client, singletons, {
    confirmNamespace: joinAsBefore,
    ...{ warn, everyMs: singletonsEveryMs },
  });
  closers.add(() => keeper.close());
  const notifications = createBackendNotifications(client, { warn });
  closers.add(() => notifications.close());
  const register = createSqlRegister(database, {
    notify: config.notificationReceiver !== undefined,
    onNotification: notifications.wake,
  });
  return {
    ...{ config, connection, client, database, sealer, notifications, register },
    requireOwnNamespace,
    findSetupGaps: () =>
      client.withDeadline(Date.now() + READY_TIMEOUT_MS, async () => {
        const gaps = await findSetupGaps(connection, namespace, searchAttributeKeys);
        if (gaps.length > 0) return gaps;
        if (!(await isStillJoined(client, joined))) return [{ kind: 'other_namespace', name: namespace }];
        return (await singletonState(client, singletons)).missing;
      }),
    checkDatabase: () => proveWritable(database),
  };
}
