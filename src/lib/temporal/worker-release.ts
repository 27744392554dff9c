// What the Workers of a process say of the release that they run: their names, their version, and which patches are active.
import type { WorkerOptions } from '@temporalio/worker';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { SettingsError, type SettingsOf, type sharedSettings } from '../settings.ts';
import { type Patch, patchActivation, patches } from './patches.ts';

export interface WorkerRelease {
  /** Undefined: the Workers are not versioned. */
  readonly version: { readonly deploymentName: string; readonly buildId: string } | undefined;
  /** Ids of patches. */
  readonly heldPatches: readonly string[];
}

type ReleaseSettings = Pick<
  SettingsOf<typeof sharedSettings>,
  'TEMPORAL_DEPLOYMENT_NAME' | 'TEMPORAL_WORKER_BUILD_ID' | 'SENDOFF_HOLD_PATCHES'
>;

/** Throws SettingsError if only one of the two names is set: its Workers would get no tasks, or those of every version. */
export function workerRelease({
  TEMPORAL_DEPLOYMENT_NAME: deploymentName,
  TEMPORAL_WORKER_BUILD_ID: buildId,
  SENDOFF_HOLD_PATCHES: heldPatches = [],
}: ReleaseSettings): WorkerRelease {
  if (deploymentName !== undefined && buildId !== undefined)
    return { version: { deploymentName, buildId }, heldPatches };
  if (deploymentName === undefined && buildId === undefined) return { version: undefined, heldPatches };
  throw new SettingsError('TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID must both be set, or neither.');
}

/** The version in package.json, which is as far from the sources as from the compiled package. */
export const { version: RELEASE } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};

/** As the server lists the Workers of this process. @param program such as `sendoff-worker` */
const workerIdentity = (program: string): string => `${program}/${hostname()}/${process.pid}`;

/**
 * For every Worker of a process, those without Workflows too: an Activity starts on the version of its Workflow. The Workers say how their
 * Workflows move, because a server refuses the Workflow Tasks of Workers without a version if a Workflow says so itself.
 */
export const releaseOptions = (
  program: string,
  { version, heldPatches: held }: WorkerRelease,
  known: Readonly<Record<string, Patch>> = patches,
): Pick<WorkerOptions, 'identity' | 'patchActivationCallback' | 'workerDeploymentOptions'> => ({
  identity: workerIdentity(program),
  patchActivationCallback: patchActivation({ release: RELEASE, held, known }),
  ...(version && {
    workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' },
  }),
});

/** A release that has been taken back does not know every patch that is held, so these are no error. */
export const unknownPatches = (
  { heldPatches }: WorkerRelease,
  known: Readonly<Record<string, Patch>> = patches,
): readonly string[] => heldPatches.filter((id) => !(id in known));
