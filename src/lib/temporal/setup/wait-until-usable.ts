import type { Connection } from '@temporalio/client';
import { GrpcCode, grpcCode, grpcMessage } from '../grpc-code.ts';
import type { SearchAttribute } from './search-attribute.ts';
import { waitUntil } from '../../timing/wait-until.ts';

const CALL_TIMEOUT_MS = 5_000;

/** Answers of a server that is starting, or whose caches are not up to date. */
const NOT_YET: readonly (number | undefined)[] = [
  GrpcCode.INVALID_ARGUMENT,
  GrpcCode.DEADLINE_EXCEEDED,
  GrpcCode.NOT_FOUND,
  GrpcCode.UNAVAILABLE,
];

export interface WaitUntilUsableOptions {
  readonly connection: Connection;
  readonly namespace: string;
  readonly searchAttributes: readonly SearchAttribute[];
  readonly timeoutMs: number;
  /** Ends the wait with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits until a Workflow with these Search Attributes can be started: a listed Namespace may be missing in the cache that starts
 * use. A query over all attributes uses the same caches.
 */
export async function waitUntilUsable(options: WaitUntilUsableOptions): Promise<void> {
  const { connection, namespace, searchAttributes, timeoutMs, signal } = options;
  const query = searchAttributes.map(({ name }) => `\`${name}\` IS NULL`).join(' AND ');
  let obstacle: unknown;
  const usable = await waitUntil(
    async () => {
      signal?.throwIfAborted();
      try {
        await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
          connection.workflowService.countWorkflowExecutions({ namespace, query }),
        );
        return true;
      } catch (error) {
        // The time-skipping test server cannot count, and has no such caches.
        if (grpcCode(error) === GrpcCode.UNIMPLEMENTED) return true;
        if (!NOT_YET.includes(grpcCode(error))) throw error;
        obstacle = error;
        return false;
      }
    },
    { timeoutMs },
  );
  signal?.throwIfAborted();
  if (!usable) throw new Error(`not usable after ${String(timeoutMs / 1_000)} s: ${grpcMessage(obstacle)}`);
}
