import type { Connection } from '@temporalio/client';
import { GrpcCode, grpcCode, grpcMessage } from '../grpc-code.ts';
import type { SearchAttribute } from './search-attribute.ts';
import { waitUntil } from '../../wait-until.ts';

const CALL_TIMEOUT_MS = 5_000;

/** What a server answers that has been told, but whose caches have not heard yet, or that is still starting. */
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
  /** Ends the waiting with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits until a Workflow with these Search Attributes can be started in the Namespace: a Namespace that is listed is not
 * yet in the cache that starts ask. A Query over all of them goes through the same caches. Throws what stood in the way.
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
        // The time-skipping test server cannot count, and takes a Namespace's word at once.
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
