import type { OnboardingAttempt, OnboardingRecord } from '../onboarding/onboarding-record.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';
import type { Stage } from '../onboarding/stage.ts';

/** A run of an attempt: a Reset adds another run. */
export interface AttemptRun {
  readonly tenantId: string;
  readonly attemptId: string;
  readonly runId: string;
}

/**
 * Whether a run may execute its next step. `over`: its attempt ended or began its undo in another run, or a later attempt
 * replaced it. `unknown`: this database has no record of the tenant.
 */
export type Standing =
  { readonly kind: 'current' | 'unknown' } | { readonly kind: 'over'; readonly record: OnboardingRecord };

/**
 * One record per tenant: its input, its resources at the provider, and its end. It outlives the Namespace's retention, after
 * which Temporal deletes the execution.
 */
export interface Register {
  get(tenantId: string): Promise<OnboardingRecord | undefined>;
  /** Replaces the record of an earlier attempt. The first step calls it before it creates anything. */
  begin(attempt: OnboardingAttempt, run: Pick<OnboardingRecord, 'runId' | 'onboarding'>): Promise<Standing>;
  /** Records the stage that a run enters. */
  enter(run: AttemptRun, stage: Stage): Promise<Standing>;
  /** Adds what a step created. Has no effect once the attempt is over. */
  note(run: AttemptRun, made: Partial<Onboarding>): Promise<void>;
  /** Records how a run ended. Repeating it for the same run returns `current`. */
  end(record: OnboardingRecord): Promise<Standing>;
}
