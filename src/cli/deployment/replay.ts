import { counted } from '../../lib/counted.ts';
import { namespaceExists } from '../../lib/temporal/setup/find-setup-gaps.ts';
import { type Replayed, replayOpenRuns } from '../../lib/temporal/replay-open-runs.ts';
import type { DatabaseProgram } from '../databases/program-databases.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import {
  bundleOf,
  executionsQuery,
  NOT_MIGRATED,
  type ReleaseContext,
  type ReleasePlace,
  withPlaces,
} from './released-program.ts';

export interface ReleaseOptions {
  readonly program: DatabaseProgram;
  readonly json?: boolean;
}

export type PlaceReplayed = Replayed & { readonly namespace: string; readonly exists: boolean };

/** On a terminal; JSON has all. */
const NAMED_MAX = 10;

/**
 * Whether the Workflow code of this release continues every open execution. Resolves with the exit code: 1 if one would stop. Nothing is open
 * before the first start, when Namespaces and tables are missing: the gate of a rollout is the same then.
 */
export async function replay({ program, json }: ReleaseOptions, context: ReleaseContext): Promise<number> {
  const results = await withPlaces(program, context.environment, (places) =>
    replayPlaces(program, places, context),
  ).catch((error: unknown) => {
    if (error instanceof CommandError && error.code === NOT_MIGRATED) return [];
    throw error;
  });
  const described = results.length === 0 ? 'The database is new: nothing is open' : describeReplays(results);
  context.write(json === true ? `${JSON.stringify({ namespaces: results })}\n` : `${described}\n`);
  return faultsOf(results).length === 0 ? ExitCode.done : ExitCode.failed;
}

export async function replayPlaces(
  program: DatabaseProgram,
  places: readonly ReleasePlace[],
  context: ReleaseContext,
): Promise<readonly PlaceReplayed[]> {
  const workflowBundle = await bundleOf(program, context);
  const results: PlaceReplayed[] = [];
  for (const place of places) {
    const { client, dataConverter } = place;
    const { namespace } = client.options;
    if (!(await namespaceExists(client.connection, namespace))) {
      results.push({ namespace, exists: false, replayed: 0, faults: [] });
      continue;
    }
    context.writeMessage(`Replaying the open executions in ${namespace}\n`);
    results.push({
      ...{ namespace, exists: true },
      ...(await replayOpenRuns(
        client,
        { workflowBundle, ...(dataConverter && { dataConverter }) },
        executionsQuery(place),
      )),
    });
  }
  return results;
}

export const faultsOf = (results: readonly PlaceReplayed[]) => results.flatMap(({ faults }) => faults);

export function describeReplays(results: readonly PlaceReplayed[]): string {
  return results
    .flatMap(({ namespace, exists, replayed, faults }) => [
      exists
        ? `${namespace}: ${counted(replayed, 'open execution')}, ${faults.length === 0 ? 'all replay' : `${faults.length} would stop`}`
        : `${namespace} does not exist, so nothing is open in it`,
      ...namedFew(faults, ({ workflowId, message }) => `${workflowId}: ${message}`),
    ])
    .join('\n');
}

/** A line for each of the first, and how many are left out. */
export const namedFew = <Each>(all: readonly Each[], line: (each: Each) => string): string[] => [
  ...all.slice(0, NAMED_MAX).map((each) => `  ${line(each)}`),
  ...(all.length > NAMED_MAX ? [`  and ${all.length - NAMED_MAX} more; --json lists all`] : []),
];
