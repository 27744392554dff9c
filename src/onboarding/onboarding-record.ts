import type { OnboardingFailure } from './failures.ts';
import type { OnboardTenantInput } from './input.ts';
import type { Onboarding } from './onboarding.ts';

/** What a successful onboarding returns: references to secrets, never secrets. */
export interface OnboardTenantResult {
  keyId: string;
  tokenRef: string;
  domainId: string;
  senderId: string;
  emailId: string;
  /** RFC 3339; null when the provider does not tell. */
  deliveredAt: string | null;
  /** From the registration of the domain to the moment it was seen verified. */
  verifiedAfterMs: number;
  /** About how often the provider was asked for the domain; see OnboardingRun. */
  polls: number;
}

/** What a Workflow Execution came to; `running` until it ends. */
export type OnboardingOutcome = 'running' | 'onboarded' | 'failed' | 'cancelled' | 'terminated';

/** One onboarding of a tenant: the same through every reset of its Workflow, another one after a new start. */
export interface Attempt {
  readonly tenantId: string;
  /** The first Run Id of the execution chain. */
  readonly attemptId: string;
  /** When the chain was started, RFC 3339 UTC: orders the attempts of one tenant. */
  readonly startedAt: string;
  /** With a hash in place of the body; null when something other than the HTTP API started the Workflow. */
  readonly startedWith: OnboardTenantInput | null;
}

/** What the orchestrator's database keeps of a tenant's latest onboarding, also after Temporal has deleted its history. */
export interface OnboardingRecord extends Attempt {
  /** The run that was the last to write. */
  readonly runId: string;
  readonly outcome: OnboardingOutcome;
  readonly onboarding: Onboarding;
  readonly result: OnboardTenantResult | null;
  readonly failure: OnboardingFailure | null;
}
