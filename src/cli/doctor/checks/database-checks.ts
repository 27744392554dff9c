import type { Client } from '@temporalio/client';
import type { Kysely } from 'kysely';
import {
  BACKGROUND_NAMESPACE_SETTING,
  findNamespaceHolder,
  orchestratorSettings,
  otherInstallation,
} from '../../../client/upkeep/join-installation.ts';
import { sealedColumns as sealedColumnsOfStore } from '../../../email-service/store/sealed-secrets.ts';
import { counted } from '../../../lib/counted.ts';
import { installationIdOf, UnfinishedCopyError } from '../../../lib/sql/installation-id.ts';
import { proveWritable } from '../../../lib/sql/prove-writable.ts';
import { type InspectedDatabase, MIGRATE_COMMAND } from '../../../lib/sql/sql-database.ts';
import { countByKey, type KeyCounts } from '../../../lib/sql/sealed-columns.ts';
import { isBusy } from '../../../lib/sql/sqlite-error.ts';
import { SETUP_COMMAND } from '../../../lib/temporal/setup/setup-gap.ts';
import { otherNamespace, type ProgramSettings, recognizeNamespace } from '../../../lib/temporal/recognize-namespace.ts';
import { sealedColumns } from '../../../store/sealed-secrets.ts';
import type { Database } from '../../../store/database.ts';
import type { ProgramDatabase } from '../../databases/program-databases.ts';
import { type Diagnosis, messageOf, ok, problem, warning } from '../check.ts';
import { check, needed } from '../doctor-context.ts';

export const databaseCheck = check('database', (context) =>
  databaseFinding('settings', () => context.databaseOf('orchestrator'), context.opened.database),
);

export const storeCheck = check('email service database', (context) =>
  databaseFinding('email service settings', () => context.databaseOf('email-service'), context.opened.store),
);

async function databaseFinding(
  settings: string,
  read: () => ProgramDatabase,
  open: () => Promise<InspectedDatabase<unknown>>,
): Promise<Diagnosis> {
  const { kind, url, setting } = await needed(settings, read);
  let inspected: InspectedDatabase<unknown>;
  try {
    inspected = await open();
  } catch (error) {
    return problem(
      messageOf(error),
      kind === 'postgres'
        ? `Start PostgreSQL, or correct ${setting}`
        : `Correct ${setting}; on a first start, create it with: ${SETUP_COMMAND}`,
    );
  }
  const { database, pending, unknown } = inspected;
  // On PostgreSQL two versions run during an upgrade.
  if (unknown.length > 0 && kind === 'sqlite')
    return problem(`${url} was migrated by a later version: ${unknown.join(', ')}`, 'Start that version again');
  if (pending.length > 0)
    return problem(
      `${url} lacks ${counted(pending.length, 'migration')}: ${pending.join(', ')}`,
      kind === 'postgres'
        ? `Migrate it: ${MIGRATE_COMMAND}`
        : `Stop the programs of the earlier version, then migrate it: ${SETUP_COMMAND}`,
    );
  const later = unknown.length === 0 ? '' : `; a later version has added ${unknown.join(', ')}`;
  return writableFinding(url, kind, database, later);
}

async function writableFinding(
  url: string,
  kind: ProgramDatabase['kind'],
  database: Kysely<unknown>,
  note: string,
): Promise<Diagnosis> {
  try {
    // It throws for an unfinished copy.
    await installationIdOf(database);
    await proveWritable(database, { space: true });
    return ok(`${url} is up to date and commits a write${note}`);
  } catch (error) {
    if (error instanceof UnfinishedCopyError) return problem(`${url}: ${error.message}`, 'Run that command again');
    if (isBusy(error))
      return problem(
        `${url} is locked by another program`,
        'End the program that holds its write lock, such as a sqlite3 shell',
      );
    return problem(
      `${url} commits no write: ${messageOf(error)}`,
      kind === 'postgres'
        ? 'Connect to the primary server, free disk space on it, and let this user write its tables'
        : 'Free disk space, and let this user write the file and its folder',
    );
  }
}

export const namespaceHolderCheck = check('database of the Namespace', async (context) => {
  const { connection, clientOf } = await context.temporal();
  const namespace = await context.namespace();
  const { database } = await context.database();
  const databaseUrl = context.databaseOf('orchestrator').url;
  const recognized = await needed('Namespace', () => recognizeNamespace({ database, connection, namespace }));
  const settings = orchestratorSettings(databaseUrl);
  if (recognized.known !== undefined && !recognized.isSame) return oneLine(otherNamespace(recognized, settings));
  return needed('Namespace', () => holderFinding(clientOf(namespace), database, settings));
});

/** The database does not remember its background Namespace: only the reservation in the Namespace names its database. */
export const backgroundHolderCheck = check('database of the background Namespace', async (context) => {
  const { clientOf } = await context.temporal();
  const namespace = await context.backgroundNamespace();
  const { database } = await context.database();
  const databaseUrl = context.databaseOf('orchestrator').url;
  return needed('background Namespace', () =>
    holderFinding(clientOf(namespace), database, { databaseUrl, namespaceSetting: BACKGROUND_NAMESPACE_SETTING }),
  );
});

async function holderFinding(
  client: Client,
  database: Database,
  settings: Pick<ProgramSettings, 'databaseUrl' | 'namespaceSetting'>,
): Promise<Diagnosis> {
  const { namespace } = client.options;
  const ownId = await installationIdOf(database);
  const holder = await findNamespaceHolder(client);
  if (holder === undefined) return ok(`no database has reserved ${namespace} yet; the first server or Worker does`);
  if (holder.installationId === ownId) return ok(`${namespace} belongs to this database, installation ${ownId}`);
  return oneLine(otherInstallation(holder, { ...settings, namespace, ownId }));
}

export const oneLine = ({ fault, remedy }: { readonly fault: string; readonly remedy: readonly string[] }): Diagnosis =>
  problem(fault, remedy.join(' ').replaceAll(/\s+/g, ' '));

export const keysCheck = check('keys', async (context) => {
  const { SENDOFF_SECRET_KEY: keys } = await context.settings('SENDOFF_SECRET_KEY');
  const { database } = await context.database();
  const counts = await needed('database', () => countByKey(database, sealedColumns, keys));
  return keysFinding(counts, 'SENDOFF_SECRET_KEY');
});

export const storeKeysCheck = check('email service keys', async (context) => {
  const { EMAIL_SERVICE_ENCRYPTION_KEY: keys } = await context.emailSettings('EMAIL_SERVICE_ENCRYPTION_KEY');
  const { database } = await context.store();
  const counts = await needed('email service database', () => countByKey(database, sealedColumnsOfStore, keys));
  return keysFinding(counts, 'EMAIL_SERVICE_ENCRYPTION_KEY');
});

function keysFinding({ total, openedBy, unopened }: KeyCounts, setting: string): Diagnosis {
  const lost = Object.values(unopened).reduce((sum, count) => sum + count, 0);
  const each = openedBy.map((count, index) => `key ${index + 1} decrypts ${count}`).join(', ');
  const remedy = `Put the key that encrypted them into ${setting}, after the first one and a comma`;
  if (total > 0 && lost === total)
    return problem(`${setting} decrypts none of the ${counted(total, 'secret')}`, remedy);
  if (lost > 0) return warning(`${lost} of ${counted(total, 'secret')} cannot be decrypted; ${each}`, remedy);
  return ok(total === 0 ? 'no secrets are stored yet' : `${setting} decrypts all ${counted(total, 'secret')}: ${each}`);
}
