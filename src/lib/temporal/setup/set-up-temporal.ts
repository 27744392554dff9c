import { msToTs } from '@temporalio/common/lib/time.js';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import type { Connection } from '@temporalio/client';
import { findSetupGaps, namespaceExists } from './find-setup-gaps.ts';
import { GrpcCode, grpcCode, grpcMessage } from '../grpc-code.ts';
import { RETENTION_DAYS_DEFAULT } from './retention.ts';
import type { SearchAttribute } from './search-attribute.ts';
import { setupCommands } from './setup-commands.ts';
import { describeGaps, isOfAttribute, type SetupGap } from './setup-gap.ts';
import { waitUntilUsable } from './wait-until-usable.ts';

/** Servers refresh their cache of Namespaces every 10 s. */
const USABLE_WITHIN_MS = 30_000;
/** Another setup may run at the same time; then the rest is tried again. */
const ATTEMPTS_MAX = 3;

export interface SetUpTemporalOptions {
  readonly connection: Connection;
  /** For the commands that sendoff prints if it lacks permission. */
  readonly address: string;
  readonly namespace: string;
  readonly searchAttributes: readonly SearchAttribute[];
  /** Retention of a new Namespace; an existing one keeps its own. @default RETENTION_DAYS_DEFAULT */
  readonly retentionDays?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TemporalSetup {
  readonly namespaceCreated: boolean;
  /** Names of the Search Attributes that were missing. */
  readonly registered: readonly string[];
}

/** The server refuses the rest, or a Search Attribute exists with another type. */
export class SetupIncompleteError extends Error {
  override readonly name = 'SetupIncompleteError';
  readonly gaps: readonly SetupGap[];
  /** For an operator with more permissions. Empty if no command helps. */
  readonly commands: readonly string[];

  constructor(reason: string, gaps: readonly SetupGap[], commands: readonly string[], cause?: unknown) {
    const run = commands.length === 0 ? [] : ['Run:', ...commands.map((command) => `  ${command}`)];
    super([describeGaps(gaps), reason, ...run].join('\n'), cause === undefined ? {} : { cause });
    this.gaps = gaps;
    this.commands = commands;
  }
}

/**
 * Creates the Namespace and registers the Search Attributes if they are missing; never changes existing ones. Resolves once
 * Workflows with these Search Attributes can be started.
 */
export async function setUpTemporal(options: SetUpTemporalOptions): Promise<TemporalSetup> {
  const { connection, namespace, searchAttributes, signal } = options;
  const usable = (attributes: readonly SearchAttribute[]): Promise<void> =>
    waitUntilUsable({ connection, namespace, searchAttributes: attributes, timeoutMs: USABLE_WITHIN_MS, signal });

  const namespaceCreated = await ensureNamespace(options);
  await usable([]);
  const registered = await ensureSearchAttributes(options);
  await usable(searchAttributes);
  return { namespaceCreated, registered };
}

/** The same, and other Namespaces without Search Attributes. */
export async function setUpNamespaces({
  otherNamespaces = [],
  ...options
}: SetUpTemporalOptions & { readonly otherNamespaces?: readonly string[] | undefined }): Promise<void> {
  await setUpTemporal(options);
  for (const namespace of otherNamespaces) await setUpTemporal({ ...options, namespace, searchAttributes: [] });
}

async function ensureNamespace(options: SetUpTemporalOptions): Promise<boolean> {
  const { connection, namespace } = options;
  const retentionDays = options.retentionDays ?? RETENTION_DAYS_DEFAULT;
  if (await namespaceExists(connection, namespace)) return false;
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      description: 'sendoff',
      workflowExecutionRetentionPeriod: msToTs(`${retentionDays} days`),
    });
    return true;
  } catch (error) {
    if (grpcCode(error) === GrpcCode.ALREADY_EXISTS) return false;
    throw incomplete(options, [{ kind: 'namespace', name: namespace }], error);
  }
}

async function ensureSearchAttributes(options: SetUpTemporalOptions): Promise<string[]> {
  const { connection, namespace, searchAttributes } = options;
  for (let attempt = 1; ; attempt++) {
    const gaps = (await findSetupGaps(connection, namespace, searchAttributes)).filter(isOfAttribute);
    if (gaps.length === 0) return [];
    if (gaps.some(({ found }) => found !== null)) {
      const reason = 'The type of a Search Attribute cannot be changed: remove or rename it, or use another Namespace';
      throw new SetupIncompleteError(reason, gaps, setupCommands(gaps, commandOptions(options)));
    }
    const missing = gaps.map(({ name }) => name);
    try {
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(
          searchAttributes.filter(({ name }) => missing.includes(name)).map(({ name, type }) => [name, encoded(type)]),
        ),
      });
      return missing;
    } catch (error) {
      if (grpcCode(error) === GrpcCode.ALREADY_EXISTS && attempt < ATTEMPTS_MAX) continue;
      throw incomplete(options, gaps, error);
    }
  }
}

function encoded(type: SearchAttribute['type']) {
  const indexedType = encodeSearchAttributeIndexedValueType(type);
  if (indexedType === undefined) throw new TypeError(`Temporal has no Search Attribute type ${type}`);
  return indexedType;
}

function incomplete(options: SetUpTemporalOptions, gaps: readonly SetupGap[], error: unknown): SetupIncompleteError {
  const reason = `The server refused to create what is missing: ${grpcMessage(error)}`;
  // A limit of the server, which would refuse the same command to every operator.
  if (grpcCode(error) === GrpcCode.INVALID_ARGUMENT) {
    const advice = 'Use a separate Namespace for sendoff: set TEMPORAL_NAMESPACE and run setup again';
    return new SetupIncompleteError(`${reason}\n${advice}`, gaps, [], error);
  }
  return new SetupIncompleteError(reason, gaps, setupCommands(gaps, commandOptions(options)), error);
}

const commandOptions = ({ address, namespace, retentionDays = RETENTION_DAYS_DEFAULT }: SetUpTemporalOptions) => ({
  address,
  namespace,
  retentionDays,
});
