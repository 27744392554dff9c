import type { AttemptRun } from '../../onboarding/record-change.ts';
import type { Onboarding } from '../../onboarding/onboarding.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';

/** The Activity itself knows its run and its time. */
export interface StepInput extends Omit<AttemptRun, 'runId' | 'at'>, Pick<Onboarding, 'withoutSteps'> {
  /** Absent for the embedded email service, and another with its API. */
  readonly provider?: ProviderName;
}

/** Input of an Activity that may end a wait before or beside its poll: once the Workflow has been asked to stop, it stops in the wait. */
export interface CancelRequested {
  readonly cancelRequested?: boolean;
}

/** The step's own input, and the id of what it created; null if its answer never arrived. */
export type UndoInput<Step extends StepInput = StepInput> = Step & {
  readonly resourceId: string | null;
  /** The provider has shown at an earlier undo that it deletes nothing: one such answer is enough then. */
  readonly deletesNothing?: boolean;
};
/** `resourceId` null: there was nothing to undo. */
export interface Undone {
  readonly resourceId: string | null;
  /** Why the provider does not delete the resource, which may still exist. */
  readonly kept?: string;
  /** Result for sendoff's own API key, if there is one beside the tenant's. */
  readonly own?: { readonly resourceId: string; readonly kept?: string };
}
