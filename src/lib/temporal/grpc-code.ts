import { isGrpcServiceError } from '@temporalio/client';

/** The status codes of gRPC that tell a server which is not ready from one that refuses. */
export const GrpcCode = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** Undefined: the error is none that gRPC reported. */
export function grpcCode(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

/** What the server said, without the SDK's own words around it. */
export function grpcMessage(error: unknown): string {
  if (isGrpcServiceError(error)) return error.details;
  return error instanceof Error ? error.message : String(error);
}
