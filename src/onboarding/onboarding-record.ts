import type { Attention } from './attention.ts';
import type { OnboardingFailure } from './failures.ts';
import type { OnboardTenantInput } from './input.ts';
import type { Onboarding } from './onboarding.ts';

/** The result of a successful onboarding; refers to secrets, never holds them. */
export interface OnboardTenantResult {
  /** The ID of the tenant's key; null, as is `tokenRef`, if the provider gives tenants none. */
  keyId: string | null;
  tokenRef: string | null;
  domainId: string;
  senderId: string;
  emailId: string;
  /** RFC 3339; null if the provider does not report it. */
  deliveredAt: string | null;
  /** From the registration of the domain to the check that found it verified. */
  verifiedAfterMs: number;
  /** Approximate number of requests for the domain's status. */
  polls: number;
}

export const onboardingOutcomes = ['running', 'onboarded', 'failed', 'cancelled', 'terminated'] as const;
export type OnboardingOutcome = (typeof onboardingOutcomes)[number];

/** One onboarding of a tenant: the same after every reset of its Workflow, a different one after a new start. */
export interface OnboardingStart {
  readonly tenantId: string;
  /** The first Run Id of the execution chain. */
  readonly attemptId: string;
  /** Start of the chain, RFC 3339 UTC; orders a tenant's onboardings. */
  readonly startedAt: string;
  /** With a hash instead of the body; null if a client other than the HTTP API started the Workflow. */
  readonly startedWith: OnboardTenantInput | null;
}

/** A tenant's latest onboarding in the register, which outlives Temporal's history. */
export interface OnboardingRecord extends OnboardingStart {
  /** The run that wrote last. */
  readonly runId: string;
  readonly outcome: OnboardingOutcome;
  readonly onboarding: Onboarding;
  readonly result: OnboardTenantResult | null;
  readonly failure: OnboardingFailure | null;
  /** By the run that wrote last: what fewer stages know is late. */
  readonly stagesEntered: number;
  /** When the stage was entered, RFC 3339 UTC, as are all times here. */
  readonly stageSince: string;
  /** When the domain was first found verified. */
  readonly verifiedAt: string | null;
  readonly endedAt: string | null;
  /** When the DNS records were last checked. */
  readonly checkedAt: string | null;
  /** The last attempt of the Activity that the onboarding waits for; null if none has failed. */
  readonly waiting: FailedAttempt | null;
  /** Its Workflow Task fails again and again, so nothing proceeds; null if it does not. */
  readonly stuck: StuckSince | null;
  readonly attention: (Attention & { readonly since: string }) | null;
  readonly reported: Reported;
}

/** Initial values of a record. */
export const newRecord = {
  outcome: 'running',
  result: null,
  failure: null,
  stagesEntered: 0,
  verifiedAt: null,
  endedAt: null,
  checkedAt: null,
  waiting: null,
  stuck: null,
  attention: null,
  reported: { causes: '', deadline: null },
} as const satisfies Partial<OnboardingRecord>;

/** The fields that have a column in the register, as they are or as JSON; no query filters by the other ones. */
export const recordColumns = {
  asIs: ['tenantId', 'attemptId', 'startedAt', 'runId', 'outcome', 'stageSince', 'endedAt', 'checkedAt'],
  asJson: ['startedWith', 'onboarding', 'result', 'failure'],
} as const satisfies Record<string, readonly (keyof OnboardingRecord)[]>;

/** A failed attempt of an Activity that Temporal retries. */
export interface FailedAttempt {
  readonly activity: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly message: string;
  readonly at: string;
  /** Null if there is none, or if it is not known. */
  readonly nextAttemptAt: string | null;
}

export interface StuckSince {
  readonly since: string;
  /** The failure of the Workflow Task. */
  readonly message: string;
}

/** The content of the last `onboarding.needs_attention`. */
interface Reported {
  /** Causes, as in Attention. */
  readonly causes: string;
  /** The deadline that was announced a day before. */
  readonly deadline: string | null;
}
