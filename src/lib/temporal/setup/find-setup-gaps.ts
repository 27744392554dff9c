import type { Connection } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { GrpcCode, grpcCode } from '../grpc-code.ts';
import type { SearchAttribute } from './search-attribute.ts';
import { pascalCase, typeName, type SetupGap } from './setup-gap.ts';

/** Common to the connections of Clients and Workers. */
export type TemporalServices = Pick<Connection, 'workflowService' | 'operatorService' | 'withDeadline'>;

/** Temporal Cloud and servers with an authorizer do not let every caller use the operator service. */
const MAY_NOT_LIST: readonly (number | undefined)[] = [
  GrpcCode.PERMISSION_DENIED,
  GrpcCode.UNAUTHENTICATED,
  GrpcCode.UNIMPLEMENTED,
];

/** Throws if the server does not answer. */
export async function findSetupGaps(
  services: TemporalServices,
  namespace: string,
  searchAttributes: readonly SearchAttribute[],
): Promise<SetupGap[]> {
  if (!(await namespaceExists(services, namespace))) return [{ kind: 'namespace', name: namespace }];
  if (searchAttributes.length === 0) return [];
  const found = await foundTypes(services, namespace, searchAttributes);
  return searchAttributes.flatMap((attribute) => {
    const type = typeName(attribute);
    const foundType = found.get(attribute.name) ?? null;
    return foundType === type ? [] : [{ kind: 'search_attribute', name: attribute.name, type, found: foundType }];
  });
}

export const namespaceExists = async (services: TemporalServices, namespace: string): Promise<boolean> =>
  (await findNamespaceId(services, namespace)) !== undefined;

/** The id that Temporal gave the Namespace when it was created; undefined if it does not exist. */
export async function findNamespaceId(
  { workflowService }: TemporalServices,
  namespace: string,
): Promise<string | undefined> {
  try {
    const { namespaceInfo } = await workflowService.describeNamespace({ namespace });
    return namespaceInfo?.id ?? '';
  } catch (error) {
    if (grpcCode(error) === GrpcCode.NOT_FOUND) return undefined;
    throw error;
  }
}

async function foundTypes(
  services: TemporalServices,
  namespace: string,
  searchAttributes: readonly SearchAttribute[],
): Promise<ReadonlyMap<string, string | null>> {
  try {
    const { customAttributes } = await services.operatorService.listSearchAttributes({ namespace });
    return new Map(Object.entries(customAttributes).map(([name, type]) => [name, indexedTypeName(type)]));
  } catch (error) {
    if (!MAY_NOT_LIST.includes(grpcCode(error))) throw error;
    const answers = searchAttributes.map(
      async (attribute) => [attribute.name, await probedType(services, namespace, attribute)] as const,
    );
    return new Map(await Promise.all(answers));
  }
}

/** The server refuses a query with an unknown attribute, or with an operator that its type does not support. */
async function probedType(
  { workflowService }: TemporalServices,
  namespace: string,
  attribute: SearchAttribute,
): Promise<string | null> {
  const accepts = async (condition: string): Promise<boolean> => {
    try {
      await workflowService.countWorkflowExecutions({ namespace, query: `\`${attribute.name}\` ${condition}` });
      return true;
    } catch (error) {
      // The time-skipping test server neither lists nor counts; registering an attribute again is harmless.
      if (grpcCode(error) === GrpcCode.INVALID_ARGUMENT || grpcCode(error) === GrpcCode.UNIMPLEMENTED) return false;
      throw error;
    }
  };
  if (!(await accepts('IS NULL'))) return null;
  const type = typeName(attribute);
  for (const [condition, isAccepted] of Object.entries(probesOf[type] ?? {})) {
    if ((await accepts(condition)) !== isAccepted) return 'another type';
  }
  return type;
}

/** Conditions, and whether the server accepts them for an attribute of the type. */
const probesOf: Partial<Record<string, Readonly<Record<string, boolean>>>> = {
  Keyword: { "STARTS_WITH 'x'": true },
  KeywordList: { "IN ('x')": true, "STARTS_WITH 'x'": false },
  Datetime: { "= 'x'": false },
};

const indexedTypes = (['TEXT', 'KEYWORD', 'INT', 'DOUBLE', 'BOOL', 'DATETIME', 'KEYWORD_LIST'] as const).map(
  (name) => [encodeSearchAttributeIndexedValueType(name), pascalCase(name)] as const,
);

const indexedTypeName = (type: number): string =>
  new Map<number | undefined, string>(indexedTypes).get(type) ?? `type ${type}`;
