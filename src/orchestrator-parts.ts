import { Client, type Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { type BackendNotifications, createBackendNotifications } from './client/backend-notifications.ts';
import { joinInstallation } from './client/join-installation.ts';
import type { Config } from './config.ts';
import type { Closers } from './lib/closers.ts';
import { shownDatabaseUrl } from './lib/database-url.ts';
import type { Sealer } from './lib/sealing.ts';
import { proveWritable } from './lib/sql/sql-database.ts';
import { findSetupGaps } from './lib/temporal/setup/find-setup-gaps.ts';
import { requireSetup } from './lib/temporal/setup/require-setup.ts';
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
  }: {
    connect: (options: TemporalConfig['connectionOptions']) => Promise<Connected>;
    config: Config;
    temporal: TemporalConfig;
    warn: (message: string, meta: object) => void;
  },
): Promise<OrchestratorParts & { readonly connection: Connected }> {
  const connection = await connect(connectionOptions);
  closers.add(() => connection.close());
  await requireSetup(connection, namespace, searchAttributeKeys);
  const client = new Client({ connection, namespace });
  const database = await openDatabase(config.databaseUrl, config.databaseConnection);
  closers.add(() => database.destroy());
  await joinInstallation({ client, database, databaseUrl: shownDatabaseUrl(config.databaseUrl) });
  const sealer = await matchingSealer(config, database);
  const notifications = createBackendNotifications(client, { warn });
  closers.add(() => notifications.close());
  const register = createSqlRegister(database, {
    notify: config.notificationReceiver !== undefined,
    onNotification: notifications.wake,
  });
  return {
    ...{ config, connection, client, database, sealer, notifications, register },
    findSetupGaps: () =>
      client.withDeadline(Date.now() + READY_TIMEOUT_MS, () =>
        findSetupGaps(connection, namespace, searchAttributeKeys),
      ),
    checkDatabase: () => proveWritable(database),
  };
}
