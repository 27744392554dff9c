import type { CheckInput } from './check-input.ts';
import { HostName } from './code-host.ts';
import type { CheckResult } from './check-result.ts';

/** As many as fit into the input of one Workflow, and their entries into its result: 2 MB each. */
export const BATCH_PRODUCERS_MAX = 5_000;

/** What one answer tells of at most. */
export const BATCH_ENTRIES_MAX = 1_000;

/** What became of one producer of a batch, in the order of finishing. */
export interface BatchEntry {
  readonly producerId: string;
  /** Null: the check itself was ended from outside, and left no result. */
  readonly status: CheckResult['status'] | null;
  readonly outcome: CheckResult['outcome'];
  readonly reasonCode: CheckResult['reasonCode'] | null;
}

export interface BatchProgress {
  readonly total: number;
  readonly done: number;
  /** Those after the ones that the asker has. */
  readonly entries: readonly BatchEntry[];
}

export interface BatchInput {
  readonly batchId: string;
  readonly producers: readonly CheckInput[];
}

/** One text for the same list in any spelling: a host left out is the default one. Its order counts. */
export const canonicalProducers = (producers: readonly CheckInput[]): string =>
  JSON.stringify(
    producers.map(({ producerId, organization, primaryRepository, host = HostName.github }) => [
      producerId,
      organization ?? null,
      primaryRepository ?? null,
      host,
    ]),
  );

/** Reads the argument of the Query for the progress. Throws with what was expected. */
export function entriesHeld(query: unknown): number {
  const after: unknown = typeof query === 'object' && query !== null && 'after' in query ? query.after : undefined;
  if (typeof after === 'number' && Number.isInteger(after) && after >= 0) return after;
  throw new TypeError(
    `expected {"after": 0}, how many entries the caller has; found ${(JSON.stringify(query) as string | undefined) ?? 'nothing'}`,
  );
}
