import type { Connection } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { GrpcCode, grpcCode, grpcMessage } from './grpc-code.ts';
import type { SearchAttribute } from './search-attribute.ts';

/**
 * Registers those Search Attributes that the Namespace does not have. Throws when one is there with another type, and with
 * the commands to run where sendoff may not register them.
 */
export async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  searchAttributes: readonly SearchAttribute[],
): Promise<void> {
  const missing = await missingOf(connection, namespace, searchAttributes);
  if (missing.length === 0) return;
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, indexedValueType(type)])),
    });
  } catch (error) {
    // Another start was faster.
    if (grpcCode(error) === GrpcCode.ALREADY_EXISTS) return;
    const commands = missing.map(
      ({ name, type }) =>
        `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${TypedSearchAttributes.toMetadataType(type)}`,
    );
    throw new Error(
      `The Namespace "${namespace}" lacks Search Attributes and the server refuses to register them: ${grpcMessage(error)}. ` +
        `Create them:\n${commands.join('\n')}`,
      { cause: error },
    );
  }
}

async function missingOf(
  connection: Connection,
  namespace: string,
  searchAttributes: readonly SearchAttribute[],
): Promise<SearchAttribute[]> {
  const customAttributes = await registeredIn(connection, namespace);
  return searchAttributes.filter(({ name, type }) => {
    const registered = customAttributes[name];
    if (registered === undefined) return true;
    if (registered === indexedValueType(type)) return false;
    throw new Error(
      `The Search Attribute ${name} of the Namespace "${namespace}" has another type than ${type}. Use another Namespace.`,
    );
  });
}

async function registeredIn(connection: Connection, namespace: string): Promise<Record<string, IndexedValueType>> {
  try {
    return (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes;
  } catch (error) {
    // The time-skipping test server registers but does not list them.
    if (grpcCode(error) === GrpcCode.UNIMPLEMENTED) return {};
    throw error;
  }
}

type IndexedValueType = NonNullable<ReturnType<typeof encodeSearchAttributeIndexedValueType>>;

function indexedValueType(type: SearchAttribute['type']): IndexedValueType {
  const encoded = encodeSearchAttributeIndexedValueType(type);
  if (encoded === undefined) throw new TypeError(`Temporal has no Search Attribute type ${type}.`);
  return encoded;
}
