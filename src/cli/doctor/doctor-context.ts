import type { Client, Connection } from '@temporalio/client';
import { readBackgroundNamespace } from '../../background-namespace.ts';
import { settingsTable } from '../../config.ts';
import { emailServiceSettings } from '../../email-service/config.ts';
import { readEmailServiceNamespace } from '../../email-service/email-service-namespace.ts';
import { createClosers } from '../../lib/closers.ts';
import { type Environment, readSettings, readSome } from '../../lib/settings.ts';
import { ADDRESS_DEFAULT, connectClient } from '../../lib/temporal/connect-client.ts';
import { createClient } from '../../lib/temporal/create-client.ts';
import { readTemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { configuredDatabase, type DatabaseProgram } from '../databases/program-databases.ts';
import { accountSettings } from '../../provider-settings.ts';
import { CannotCheck, type Diagnosis } from './check.ts';

export interface DoctorOptions {
  readonly json?: boolean;
  /** `host` or `host:port` of a mail server to connect to. */
  readonly smtpHost?: string;
  /** Domain whose mail servers to connect to. */
  readonly mxOf?: string;
  /** The IP address that mail leaves from. @default the addresses of EMAIL_SERVICE_HOSTNAME */
  readonly sendingAddress?: string;
}

export interface Temporal {
  readonly connection: Connection;
  /** `host:port` */
  readonly address: string;
  readonly clientOf: (namespace: string) => Client;
}

export type DoctorContext = ReturnType<typeof createDoctorContext>;

export interface Check {
  readonly name: string;
  /** Changes nothing. The signal aborts when the time of the check is over. */
  readonly run: (context: DoctorContext, signal: AbortSignal) => Promise<Diagnosis>;
}

export const check = (name: string, run: Check['run']): Check => ({ name, run });

const CONNECT_TIMEOUT_MS = 3_000;
/** A write that waits longer than this is reported; the programs wait 5 s. */
const BUSY_TIMEOUT_MS = 2_000;

/** The parts that the checks share: each is opened once, when the first check needs it. */
export function createDoctorContext(environment: Environment, options: Omit<DoctorOptions, 'json'>) {
  const closers = createClosers();
  const keep = async <Part>(opening: Promise<Part>, close: (part: Part) => unknown): Promise<Part> => {
    const part = await opening;
    closers.add(() => close(part));
    return part;
  };
  const databaseOf = (program: DatabaseProgram) =>
    configuredDatabase(program, environment, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  const inspect = async (program: DatabaseProgram) =>
    keep(databaseOf(program).inspect(), ({ database }) => database.destroy());
  const opened = {
    temporal: once(async (): Promise<Temporal> => {
      const { connectionOptions, dataConverter } = readTemporalConfig(environment);
      const { address = ADDRESS_DEFAULT } = connectionOptions;
      const connection = await keep(
        connectClient({ ...connectionOptions, address, connectTimeout: CONNECT_TIMEOUT_MS }),
        (connected) => connected.close(),
      );
      return { connection, address, clientOf: (namespace) => createClient({ connection, namespace, dataConverter }) };
    }),
    database: once(() => inspect('orchestrator')),
    store: once(() => inspect('email-service')),
  };

  return {
    environment,
    options,
    /** For the checks that report why one cannot be opened. */
    opened,
    /** Throws SettingsError if its settings are invalid. */
    databaseOf,
    // For all other checks. They throw CannotCheck.
    settings: <Name extends keyof typeof settingsTable>(...names: Name[]) =>
      needed('settings', () => readSome(settingsTable, names, environment)),
    /** The settings of the operator's accounts at providers. */
    accountSettings: () => needed('settings', () => readSettings(accountSettings, environment)),
    emailSettings: <Name extends keyof typeof emailServiceSettings>(...names: Name[]) =>
      needed('email service settings', () => readSome(emailServiceSettings, names, environment)),
    namespace: () => needed('settings', () => readTemporalConfig(environment).namespace),
    backgroundNamespace: () =>
      needed('settings', () => readBackgroundNamespace(environment, readTemporalConfig(environment))),
    emailServiceNamespace: () =>
      needed('email service settings', () => readEmailServiceNamespace(environment, readTemporalConfig(environment))),
    temporal: () => needed('Temporal', opened.temporal),
    database: () => needed('database', opened.database),
    store: () => needed('email service database', opened.store),
    close: closers.close,
  };
}

function once<Part>(open: () => Promise<Part>): () => Promise<Part> {
  let opening: Promise<Part> | undefined;
  return () => (opening ??= open());
}

/** For a check that needs what another check reports on. Throws CannotCheck. @param what such as `Temporal` */
export async function needed<Part>(what: string, get: () => Part | Promise<Part>): Promise<Part> {
  try {
    return await get();
  } catch {
    throw new CannotCheck(`not checked: see ${what}`);
  }
}
