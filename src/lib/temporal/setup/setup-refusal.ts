import { NamespaceNotFoundError } from '@temporalio/client';
import { GrpcCode, grpcCode, grpcMessage } from '../grpc-code.ts';

/** The server's message if a call failed because the Namespace or a Search Attribute is missing; otherwise undefined. */
export function setupRefusal(error: unknown): string | undefined {
  if (error instanceof NamespaceNotFoundError) return `The Namespace ${error.namespace} does not exist`;
  // A missing Search Attribute has no status code of its own.
  if (grpcCode(error) === GrpcCode.INVALID_ARGUMENT && /search attribute/i.test(grpcMessage(error))) {
    return grpcMessage(error);
  }
  return error instanceof Error && error.cause !== undefined ? setupRefusal(error.cause) : undefined;
}
