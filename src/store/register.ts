import type { Attempt, OnboardingRecord } from '../onboarding/onboarding-record.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';
import type { Stage } from '../onboarding/stage.ts';

/** A Workflow Execution of an attempt: a reset gives the attempt another run. */
export interface AttemptRun {
  readonly tenantId: string;
  readonly attemptId: string;
  readonly runId: string;
}

/**
 * Whether a run may do its next step. `over`: its attempt has ended or has begun its undo in another run, or a later
 * attempt has taken its place. `unknown`: this database has no record of the tenant.
 */
export type Standing =
  { readonly kind: 'current' | 'unknown' } | { readonly kind: 'over'; readonly record: OnboardingRecord };

/**
 * One record per tenant, in the orchestrator's database: what it was started with, what it holds at the provider, and how
 * it ended. Temporal deletes a finished execution when the Namespace's retention is over; the record stays.
 */
export interface Register {
  get(tenantId: string): Promise<OnboardingRecord | undefined>;
  /** Replaces the record of an earlier attempt. Called by the first step, before it creates anything. */
  begin(attempt: Attempt, run: Pick<OnboardingRecord, 'runId' | 'onboarding'>): Promise<Standing>;
  /** Records the stage that a run enters. */
  enter(run: AttemptRun, stage: Stage): Promise<Standing>;
  /** Adds what a step created. No effect once the attempt is over. */
  note(run: AttemptRun, made: Partial<Onboarding>): Promise<void>;
  /** Records how a run ended. `current` also when the same run has recorded its end before. */
  end(record: OnboardingRecord): Promise<Standing>;
}
