import type { CheckInput } from './check-input.ts';
import { HostName } from './code-host.ts';
import type { CheckResult } from './check-result.ts';

/** Their input and their result each fit into Temporal's 2 MB. */
export const BATCH_PRODUCERS_MAX = 5_000;

/** Per response of the Query and the API. */
export const BATCH_ENTRIES_MAX = 1_000;

/** The result of one producer of a batch. */
export interface BatchEntry {
  readonly producerId: string;
  /** Null if the check was cancelled or terminated, without a result. */
  readonly status: CheckResult['status'] | null;
  readonly outcome: CheckResult['outcome'];
  readonly reasonCode: CheckResult['reasonCode'] | null;
}

export interface BatchProgress {
  readonly total: number;
  readonly done: number;
  /** In the order of completion, after those that the caller already has. */
  readonly entries: readonly BatchEntry[];
}

export interface BatchInput {
  readonly batchId: string;
  readonly producers: readonly CheckInput[];
}

/** The same text for equal lists; a missing host equals the default one, and the order counts. */
export const canonicalProducers = (producers: readonly CheckInput[]): string =>
  JSON.stringify(
    producers.map(({ producerId, organization, primaryRepository, host = HostName.github }) => [
      producerId,
      organization ?? null,
      primaryRepository ?? null,
      host,
    ]),
  );

/** Reads the argument of the progress Query. @throws TypeError */
export function entriesHeld(query: unknown): number {
  const after: unknown = typeof query === 'object' && query !== null && 'after' in query ? query.after : undefined;
  if (typeof after === 'number' && Number.isInteger(after) && after >= 0) return after;
  throw new TypeError(
    `expected {"after": 0}, the number of entries that the caller has; found ${(JSON.stringify(query) as string | undefined) ?? 'nothing'}`,
  );
}
