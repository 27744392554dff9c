import { counted } from '../../lib/counted.ts';
import { readBackgroundNamespace } from '../../background-namespace.ts';
import { readEmailServiceNamespace } from '../../email-service/email-service-namespace.ts';
import type { Environment } from '../../lib/settings.ts';
import { readTemporalConfig, type TemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { ADDRESS_DEFAULT } from '../../lib/temporal/connect-client.ts';
import {
  setUpTemporal,
  SetupIncompleteError,
  type SetUpTemporalOptions,
  type TemporalSetup,
} from '../../lib/temporal/setup/set-up-temporal.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';
import { chosenDatabases } from '../databases/program-databases.ts';
import type { ResultContext } from '../command-context.ts';
import { ExitCode } from '../exit-codes.ts';
import { hasSettings } from '../has-settings.ts';

export interface SetupOptions {
  readonly json?: boolean;
  readonly retentionDays: number;
}

/** Creates what the programs need and changes nothing that exists. Resolves with the exit code: 0 if it is complete. */
export async function setup(options: SetupOptions, { environment, write }: ResultContext): Promise<number> {
  const temporal = readTemporalConfig(environment);
  const address = temporal.connectionOptions.address ?? ADDRESS_DEFAULT;
  const stores = await prepareStores(environment);
  const results = await withConnection({ ...temporal.connectionOptions, address }, (connection) =>
    setUpAll(namespacesToSetUp(environment, temporal), { connection, address, retentionDays: options.retentionDays }),
  );
  const incomplete = results.flatMap(({ result }) => (result instanceof SetupIncompleteError ? [result] : []));
  if (options.json === true) {
    write(`${JSON.stringify(setupReport(results, incomplete, { address, stores }))}\n`);
  } else {
    const parts = results.map(({ namespace, searchAttributes, result }) => {
      const text =
        result instanceof SetupIncompleteError ? result.message : describeSetup(result, searchAttributes, options);
      return `Temporal at ${address}, Namespace ${namespace}\n${indented(text)}\n`;
    });
    write(`${parts.join('')}Stores\n${indented(stores.join('\n'))}\n`);
  }
  return incomplete.length === 0 ? ExitCode.done : ExitCode.failed;
}

interface NamespaceToSetUp {
  readonly use: 'temporal' | 'background' | 'emailService';
  readonly namespace: string;
  readonly searchAttributes: SetUpTemporalOptions['searchAttributes'];
}

type NamespaceResult = NamespaceToSetUp & { readonly result: TemporalSetup | SetupIncompleteError };

/** The orchestrator's, its background Namespace, and if it is here the email service's: each only if it is another one. */
function namespacesToSetUp(environment: Environment, temporal: TemporalConfig): readonly NamespaceToSetUp[] {
  const each: readonly NamespaceToSetUp[] = [
    { use: 'temporal', namespace: temporal.namespace, searchAttributes: searchAttributeKeys },
    { use: 'background', namespace: readBackgroundNamespace(environment, temporal), searchAttributes: [] },
    ...(hasSettings(environment, 'EMAIL_SERVICE_')
      ? [
          {
            use: 'emailService' as const,
            namespace: readEmailServiceNamespace(environment, temporal),
            searchAttributes: [],
          },
        ]
      : []),
  ];
  return each.filter(({ namespace }, index) => each.findIndex((other) => other.namespace === namespace) === index);
}

/** Sets up each Namespace, also after one that the server refused, so that an operator gets all commands at once. */
async function setUpAll(
  namespaces: readonly NamespaceToSetUp[],
  options: Pick<SetUpTemporalOptions, 'connection' | 'address' | 'retentionDays'>,
): Promise<readonly NamespaceResult[]> {
  const results: NamespaceResult[] = [];
  for (const each of namespaces) {
    const result = await setUpTemporal({ ...options, ...each }).catch((error: unknown) => {
      if (error instanceof SetupIncompleteError) return error;
      throw error;
    });
    results.push({ ...each, result });
  }
  return results;
}

/** Printed with `--json`; `background` and `emailService` are null if their Namespace is one of those before, or not set up here. */
function setupReport(
  results: readonly NamespaceResult[],
  incomplete: readonly SetupIncompleteError[],
  { address, stores }: { address: string; stores: readonly string[] },
) {
  const partOf = (use: NamespaceToSetUp['use']) => {
    const part = results.find((each) => each.use === use);
    if (part === undefined) return null;
    const { namespace, result } = part;
    return result instanceof SetupIncompleteError ? { address, namespace } : { address, namespace, ...result };
  };
  const parts = {
    temporal: partOf('temporal'),
    background: partOf('background'),
    emailService: partOf('emailService'),
  };
  if (incomplete.length === 0) return { complete: true, ...parts, stores };
  return {
    complete: false,
    ...parts,
    missing: incomplete.flatMap(({ gaps }) => gaps),
    commands: incomplete.flatMap(({ commands }) => commands),
    stores,
    error: { code: 'setup_incomplete', message: incomplete.map(({ message }) => message).join('\n') },
  };
}

/** Applies the pending migrations. @returns the URLs, without passwords */
async function prepareStores(environment: Environment): Promise<string[]> {
  const databases = chosenDatabases({}, environment);
  for (const { migrate } of databases) await migrate();
  return databases.map(({ url }) => url);
}

function describeSetup(
  { namespaceCreated, registered }: TemporalSetup,
  searchAttributes: NamespaceToSetUp['searchAttributes'],
  { retentionDays }: SetupOptions,
): string {
  const namespaceLine = namespaceCreated
    ? `Created the Namespace, with a retention of ${counted(retentionDays, 'day')}`
    : 'The Namespace exists';
  if (searchAttributes.length === 0) return namespaceLine;
  const attributesLine =
    registered.length === 0
      ? `All ${String(searchAttributes.length)} Search Attributes exist`
      : `Registered Search Attributes: ${registered.join(', ')}`;
  return `${namespaceLine}\n${attributesLine}`;
}

const indented = (text: string): string => text.replace(/^/gm, '  ');
