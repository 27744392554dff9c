import { isGrpcServiceError } from '@temporalio/client';

/** The gRPC status codes that distinguish a server that is not ready from one that refuses. */
export const GrpcCode = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** Undefined if gRPC did not report the error. */
export function grpcCode(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

export const refusesCredentials = (error: unknown): boolean =>
  grpcCode(error) === GrpcCode.PERMISSION_DENIED || grpcCode(error) === GrpcCode.UNAUTHENTICATED;

/** The server's own message, without the SDK's text around it. */
export function grpcMessage(error: unknown): string {
  // The connections of Workers give no details.
  if (isGrpcServiceError(error) && error.details !== '') return error.details;
  return error instanceof Error ? error.message : String(error);
}
