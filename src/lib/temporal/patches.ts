// The patches of the Workflows of both programs. A marker that one release records stops the execution in an earlier release that
// does not know the patch. So a release ships each patch inactive, and only a later one activates it: either can then be taken
// back to the one before it. test/patches.test.ts refuses a `patched()` that breaks this rule.
import type { WorkerOptions } from '@temporalio/worker';

export interface Patch {
  /** The first release that has both branches. */
  readonly shippedIn: string;
  /** The first release in which new executions take the new branch. Later than `shippedIn`. */
  readonly activeFrom: string;
}

/** By the id that `patched()` takes. */
export const patches: Readonly<Record<string, Patch>> = {};

interface PatchActivation {
  /** The version of this package. */
  readonly release: string;
  /** Ids that stay inactive although the release activates them. */
  readonly held: readonly string[];
  readonly known?: Readonly<Record<string, Patch>>;
}

/** Decides at the first call of a `patched()` whose marker the history does not have. A patch that is not listed stays inactive. */
export const patchActivation =
  ({
    release,
    held,
    known = patches,
  }: PatchActivation): NonNullable<Required<WorkerOptions>['patchActivationCallback']> =>
  ({ patchId }) => {
    const patch = known[patchId];
    return patch !== undefined && !held.includes(patchId) && isFrom(release, patch.activeFrom);
  };

/** Whether a release is another one, or later. A prerelease is earlier than its release. */
export function isFrom(release: string, first: string): boolean {
  const [version = ''] = release.split(/[-+]/, 1);
  const order = version.localeCompare(first, 'en', { numeric: true });
  return order > 0 || (order === 0 && !release.startsWith('-', version.length));
}
