import { openDatabase } from '../../store/database.ts';
import { settingsTable } from '../../config.ts';
import { counted } from '../../lib/counted.ts';
import { emailServiceSettings } from '../../email-service/config.ts';
import { openStore } from '../../email-service/store/open-store.ts';
import { readSettings } from '../../lib/settings.ts';
import { readTemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { ADDRESS_DEFAULT } from '../../lib/temporal/connect-client.ts';
import { setUpTemporal, SetupIncompleteError, type TemporalSetup } from '../../lib/temporal/setup/set-up-temporal.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';
import { ExitCode } from '../exit-codes.ts';

export interface SetupOptions {
  readonly json?: boolean;
  readonly retentionDays: number;
}

export interface SetupContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
}

/** Creates what the programs need and changes nothing that exists. Resolves with the exit code: 0 if it is complete. */
export async function setup(options: SetupOptions, { environment, write }: SetupContext): Promise<number> {
  const { connectionOptions, namespace } = readTemporalConfig(environment);
  const address = connectionOptions.address ?? ADDRESS_DEFAULT;
  const stores = await prepareStores(environment);
  const temporal = await withConnection({ ...connectionOptions, address }, (connection) =>
    setUpTemporal({
      connection,
      address,
      namespace,
      searchAttributes: searchAttributeKeys,
      retentionDays: options.retentionDays,
    }),
  ).catch((error: unknown) => {
    if (error instanceof SetupIncompleteError) return error;
    throw error;
  });
  const isComplete = !(temporal instanceof SetupIncompleteError);
  if (options.json === true) {
    const server = { address, namespace };
    const found = isComplete
      ? { complete: true, temporal: { ...server, ...temporal }, stores }
      : {
          complete: false,
          temporal: server,
          missing: temporal.gaps,
          commands: temporal.commands,
          stores,
          error: { code: 'setup_incomplete', message: temporal.message },
        };
    write(`${JSON.stringify(found)}\n`);
  } else {
    const text = isComplete ? describeSetup(temporal, options) : temporal.message;
    write(
      `Temporal at ${address}, Namespace ${namespace}\n${indented(text)}\nStores\n${indented(stores.join('\n'))}\n`,
    );
  }
  return isComplete ? ExitCode.done : ExitCode.failed;
}

/** Opening a database migrates its schema. That of the email service is opened if one of its settings is set. */
async function prepareStores(environment: SetupContext['environment']): Promise<string[]> {
  const { SENDOFF_DATABASE_URL } = settingsTable;
  const orchestrator = readSettings({ SENDOFF_DATABASE_URL }, environment).SENDOFF_DATABASE_URL;
  await (await openDatabase(orchestrator)).destroy();
  const isEmailServiceHere = Object.entries(environment).some(
    ([name, value]) => name.startsWith('EMAIL_SERVICE_') && value !== undefined && value.trim() !== '',
  );
  if (!isEmailServiceHere) return [orchestrator];
  const { EMAIL_SERVICE_DATABASE_URL } = emailServiceSettings;
  const emailService = readSettings({ EMAIL_SERVICE_DATABASE_URL }, environment).EMAIL_SERVICE_DATABASE_URL;
  await (await openStore(emailService)).destroy();
  return [orchestrator, emailService];
}

function describeSetup({ namespaceCreated, registered }: TemporalSetup, { retentionDays }: SetupOptions): string {
  const namespaceLine = namespaceCreated
    ? `Created the Namespace, with a retention of ${counted(retentionDays, 'day')}`
    : 'The Namespace exists';
  const attributesLine =
    registered.length === 0
      ? `All ${String(searchAttributeKeys.length)} Search Attributes exist`
      : `Registered Search Attributes: ${registered.join(', ')}`;
  return `${namespaceLine}\n${attributesLine}`;
}

const indented = (text: string): string => text.replace(/^/gm, '  ');
