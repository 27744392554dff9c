import type { Kysely } from 'kysely';
import { type KnownNamespace, knownNamespace, rememberNamespace } from '../sql/known-namespace.ts';
import { GrpcCode, grpcCode } from './grpc-code.ts';
import { findNamespaceId, type TemporalServices } from './setup/find-setup-gaps.ts';
import { NotSetUpError } from './setup/require-setup.ts';

/** The call takes milliseconds; a start must not hang on a server that has stopped answering. */
const CALL_TIMEOUT_MS = 10_000;

/** The Workflows of the database run in another Namespace. */
export class OtherNamespaceError extends Error {
  override readonly name = 'OtherNamespaceError';

  constructor(fault: string, remedy: readonly string[]) {
    super([fault, ...remedy].join('\n'));
  }
}
export interface NamespaceUse<Schema> {
  readonly database: Kysely<Schema>;
  readonly connection: TemporalServices;
  readonly namespace: string;
  readonly program: ProgramSettings;
}
export interface ProgramSettings {
  readonly name: 'orchestrator' | 'email-service';
  readonly databaseSetting: string;
  readonly namespaceSetting: string;
  /** Without a password. */
  readonly databaseUrl: string;
}

export interface RecognizedNamespace {
  readonly here: KnownNamespace;
  /** The Namespace that the database remembers; undefined before the first start. */
  readonly known: KnownNamespace | undefined;
  readonly isSame: boolean;
}

/**
 * Compares the Namespace of the settings with the one that the database remembers. A Namespace has an id of its own, which fail-over
 * and replication to another cluster keep, and which one of the same name elsewhere, or created again, does not have. The id of the
 * cluster does not identify it: a fail-over changes that id, and all dev servers without a file have the same one.
 *
 * @throws NotSetUpError if the Namespace does not exist
 */
export async function recognizeNamespace<Schema>({
  database,
  connection,
  namespace,
}: Omit<NamespaceUse<Schema>, 'program'>): Promise<RecognizedNamespace> {
  const namespaceId = await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
    findNamespaceId(connection, namespace),
  );
  const known = await knownNamespace(database);
  if (namespaceId === undefined) {
    const notes =
      known === undefined || known.namespace === namespace
        ? []
        : [
            `The Workflows of the database run in ${named(known)}: set the Namespace to that one, unless you move them.`,
          ];
    throw new NotSetUpError([{ kind: 'namespace', name: namespace }], notes);
  }
  const here = { namespace, namespaceId };
  return { here, known, isSame: known?.namespaceId === namespaceId };
}

/**
 * Remembers the Namespace, which the caller has found to be the right one.
 *
 * @throws OtherNamespaceError if a program that started at the same time uses another one
 */
export async function keepNamespace<Schema>(
  { database, program }: Pick<NamespaceUse<Schema>, 'database' | 'program'>,
  { here, known, isSame }: RecognizedNamespace,
): Promise<void> {
  if (isSame && known?.namespace === here.namespace) return;
  if (await rememberNamespace(database, here, known)) return;
  throw otherNamespaceError({ here, known: await knownNamespace(database), isSame: false }, program);
}

/** Whether the server has this Namespace itself, with an id not another one of its name; false if the credentials may not say. */
export async function isNamespaceOf(
  { namespace, namespaceId }: Pick<KnownNamespace, 'namespace'> & Partial<KnownNamespace>,
  connection: TemporalServices,
): Promise<boolean> {
  try {
    const id = await findNamespaceId(connection, namespace);
    return id !== undefined && (namespaceId === undefined || id === namespaceId);
  } catch (error) {
    if (grpcCode(error) === GrpcCode.PERMISSION_DENIED) return false;
    throw error;
  }
}

/** Throws OtherNamespaceError if the database remembers another Namespace. */
export async function requireKnownNamespace<Schema>(use: NamespaceUse<Schema>): Promise<RecognizedNamespace> {
  const recognized = await recognizeNamespace(use);
  if (recognized.known !== undefined && !recognized.isSame) throw otherNamespaceError(recognized, use.program);
  return recognized;
}

/** Why the database cannot use the Namespace, and what to do. */
export function otherNamespace(
  { here, known }: RecognizedNamespace,
  program: ProgramSettings,
): { readonly fault: string; readonly remedy: readonly string[] } {
  const { name, databaseUrl, databaseSetting, namespaceSetting } = program;
  const isOfSameName = known?.namespace === here.namespace;
  const other = isOfSameName ? 'another one of that name' : here.namespace;
  return {
    fault: `the database ${databaseUrl} belongs to the Temporal Namespace ${named(known)}, not to ${other} (id ${here.namespaceId}): its Workflows run there.`,
    remedy: [
      isOfSameName
        ? `The Namespace was created again, or TEMPORAL_ADDRESS is that of another server. Set it to the server of that Namespace, or ${databaseSetting} to the database of this one.`
        : `Set TEMPORAL_ADDRESS and ${namespaceSetting} to that Namespace, or ${databaseSetting} to the database of this one.`,
      'To move the database to this Namespace on purpose, stop all programs, read "Move to another Namespace" in docs/operating.md, and run:',
      `  sendoff store use-namespace --only ${name}`,
    ],
  };
}

const named = (known: KnownNamespace | undefined): string =>
  `${known?.namespace ?? 'of another program'} (id ${known?.namespaceId ?? 'unknown'})`;

function otherNamespaceError(recognized: RecognizedNamespace, program: ProgramSettings): OtherNamespaceError {
  const { fault, remedy } = otherNamespace(recognized, program);
  return new OtherNamespaceError(fault, remedy);
}
