import type { Client, Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { backgroundNamespace } from './background-namespace.ts';
import { type BackendNotifications, createBackendNotifications } from './client/upkeep/backend-notifications.ts';
import { producersSchedule } from './client/agents-md/producers-schedule.ts';
import {
  BACKGROUND_NAMESPACE_SETTING,
  isStillJoined,
  joinBackground,
  type JoinedInstallation,
  joinInstallation,
  orchestratorSettings,
} from './client/upkeep/join-installation.ts';
import { backgroundSingletons, installationSingleton } from './client/upkeep/orchestrator-singletons.ts';
import type { WorkerConfig } from './config.ts';
import type { Closers } from './lib/closers.ts';
import { shownDatabaseUrl } from './lib/database-url.ts';
import type { Sealer } from './lib/sealing.ts';
import { proveWritable } from './lib/sql/prove-writable.ts';
import { createClient } from './lib/temporal/create-client.ts';
import { grpcMessage, refusesCredentials } from './lib/temporal/grpc-code.ts';
import { findSetupGaps, type TemporalServices } from './lib/temporal/setup/find-setup-gaps.ts';
import { requireKnownNamespace } from './lib/temporal/recognize-namespace.ts';
import { requireSetup } from './lib/temporal/setup/require-setup.ts';
import { keepSingletons, scheduleSingletons, type Singleton, singletonState } from './lib/temporal/singletons.ts';
import type { SearchAttribute } from './lib/temporal/setup/search-attribute.ts';
import type { PlacedGap, SetupGap } from './lib/temporal/setup/setup-gap.ts';
import type { TemporalConfig } from './lib/temporal/temporal-config.ts';
import { tracedStarts } from './lib/tracing/trace-temporal.ts';
import { type Database, openDatabase } from './store/database.ts';
import { matchingSealer } from './store/matching-sealer.ts';
import type { Register } from './store/onboarding/register.ts';
import { createSqlRegister } from './store/onboarding/sql-register.ts';
import { searchAttributeKeys } from './workflows/search-attributes.ts';

/** Dependencies of the server and the worker; a process that is both has one of each. */
export interface OrchestratorParts {
  readonly config: WorkerConfig;
  readonly dataConverter: TemporalConfig['dataConverter'];
  readonly client: Client;
  /** Client of the Namespace of notifications, the sweep and the Schedules; `client` if it is the same. */
  readonly background: Client;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly notifications: BackendNotifications;
  readonly register: Register;
  /** Throws if the Namespace is not the one that the database knows: it may be deleted and created again while programs run. */
  readonly requireOwnNamespace: () => Promise<unknown>;
  /** For probes. */
  readonly findSetupGaps: () => Promise<readonly PlacedGap[]>;
  readonly checkDatabase: () => Promise<true>;
}

/** Probes give up after a few seconds. */
const READY_TIMEOUT_MS = 2_000;

interface PartsOptions<Connected> {
  readonly connect: (options: TemporalConfig['connectionOptions']) => Promise<Connected>;
  readonly config: WorkerConfig;
  readonly temporal: TemporalConfig;
  readonly warn: (message: string, meta: object) => void;
  readonly singletonsEveryMs?: number | undefined;
}

/** Throws if Temporal is not set up, or belongs to another database. */
export async function openOrchestratorParts<Connected extends Connection | NativeConnection>(
  closers: Closers,
  { connect, config, temporal, warn, singletonsEveryMs }: PartsOptions<Connected>,
): Promise<OrchestratorParts & { readonly connection: Connected }> {
  const { connectionOptions, namespace, dataConverter } = temporal;
  const backgroundName = backgroundNamespace(config.backgroundNamespace, temporal);
  const isApart = backgroundName !== namespace;
  const connection = await connect(connectionOptions);
  closers.add(() => connection.close());
  await requireSetup(connection, namespace, searchAttributeKeys);
  if (isApart) await requireBackground(connection, backgroundName);
  const interceptors = { workflow: [tracedStarts] };
  const client = createClient({ connection, namespace, dataConverter, interceptors });
  const background = isApart ? createClient({ connection, namespace: backgroundName, dataConverter }) : client;
  const database = await openDatabase(config.databaseUrl, config.databaseConnection);
  closers.add(() => database.destroy());
  const databaseUrl = shownDatabaseUrl(config.databaseUrl);
  const requireOwnNamespace = () =>
    requireKnownNamespace({ database, connection, namespace, program: orchestratorSettings(databaseUrl) });
  const checks = scheduleSingletons(client, [producersSchedule(config.agentsMd !== undefined)]);
  const once = backgroundSingletons(background, config.watchIntervalMs);
  const places = [
    await joined({
      client,
      searchAttributes: searchAttributeKeys,
      join: () => joinInstallation({ client, database, databaseUrl }),
      singletons: [...checks, ...(isApart ? [] : once)],
    }),
    ...(isApart
      ? [
          await joined({
            client: background,
            searchAttributes: [],
            join: () => joinBackground({ client: background, database, databaseUrl }),
            singletons: once,
          }),
        ]
      : []),
  ];
  const sealer = await matchingSealer(config, database);
  for (const { client: keeping, singletons, join } of places) {
    const options = { confirmNamespace: join, warn, everyMs: singletonsEveryMs };
    const keeper = await keepSingletons(keeping, singletons, options);
    closers.add(() => keeper.close());
  }
  const notifications = createBackendNotifications(background, { warn });
  closers.add(() => notifications.close());
  const register = createSqlRegister(database, {
    notify: config.notificationReceiver !== undefined,
    onNotification: notifications.wake,
    sealer,
  });
  return {
    ...{ config, dataConverter, connection, client, background, database, sealer, notifications, register },
    requireOwnNamespace,
    findSetupGaps: () =>
      connection.withDeadline(Date.now() + READY_TIMEOUT_MS, async () =>
        (
          await Promise.all(
            places.map(async (place): Promise<readonly PlacedGap[]> => {
              const gaps = await gapsOf(place);
              return place.client === client ? gaps : gaps.map((gap) => ({ ...gap, background: true }));
            }),
          )
        ).flat(),
      ),
    checkDatabase: () => proveWritable(database),
  };
}

/** A Namespace that the orchestrator uses. */
interface Place {
  readonly client: Client;
  readonly searchAttributes: readonly SearchAttribute[];
  readonly join: () => Promise<JoinedInstallation>;
  readonly singletons: readonly Singleton[];
}

async function joined(place: Place) {
  const installation = await place.join();
  return { ...place, installation, singletons: [installationSingleton(place.join), ...place.singletons] };
}

type JoinedPlace = Awaited<ReturnType<typeof joined>>;

async function gapsOf(place: JoinedPlace): Promise<readonly SetupGap[]> {
  try {
    return await gapsIn(place);
  } catch (error) {
    if (refusesCredentials(error)) return [{ kind: 'namespace_refused', name: place.client.options.namespace }];
    throw error;
  }
}

async function gapsIn({
  client,
  searchAttributes,
  installation,
  singletons,
}: JoinedPlace): Promise<readonly SetupGap[]> {
  const { namespace } = client.options;
  const gaps = await findSetupGaps(client.connection, namespace, searchAttributes);
  if (gaps.length > 0) return gaps;
  if (!(await isStillJoined(client, installation))) return [{ kind: 'other_namespace', name: namespace }];
  return (await singletonState(client, singletons)).missing;
}

/** Throws with its setting, which may be unset, if the Namespace does not exist or may not be read. */
async function requireBackground(connection: TemporalServices, namespace: string): Promise<void> {
  try {
    await requireSetup(connection, namespace, []);
  } catch (error) {
    throw new Error(
      `${BACKGROUND_NAMESPACE_SETTING} (default: TEMPORAL_NAMESPACE with -background) names ${namespace}, which cannot be used: ${grpcMessage(error)}
Or let what works in the background share a Namespace: set ${BACKGROUND_NAMESPACE_SETTING} to the name of TEMPORAL_NAMESPACE`,
      { cause: error },
    );
  }
}
