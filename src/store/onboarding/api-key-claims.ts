import type { OnboardingOutcome } from '../../onboarding/onboarding-record.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';

/**
 * The onboardings that ended with their key kept. An undo that revokes the key deletes the token. A terminated onboarding is left out: a Reset
 * may continue it, and needs its key.
 */
export const claimable: readonly OnboardingOutcome[] = ['onboarded', 'failed', 'cancelled'];

/** Who received a tenant's API token, and when. */
export interface ApiKeyClaim {
  readonly tenantId: string;
  readonly attemptId: string;
  readonly keyId: string;
  /** As the caller names who asked. */
  readonly by: string;
  /** The name of the caller's API token. */
  readonly apiTokenName: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

export interface ClaimRequest {
  readonly tenantId: string;
  readonly by: string;
  readonly apiTokenName: string;
  /** A repetition with the same key gets the token again for `CLAIM_REPLAY_MS`; without one, a lost answer loses the token. */
  readonly idempotencyKey: string | undefined;
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claim: ApiKeyClaim; readonly token: string; readonly isReplay: boolean }
  | { readonly kind: 'alreadyClaimed'; readonly claim: ApiKeyClaim }
  /** The onboarding has not ended, or its key was revoked or is not in this database. */
  | { readonly kind: 'notClaimable'; readonly outcome: OnboardingOutcome }
  | { readonly kind: 'noKey'; readonly provider: ProviderName }
  | { readonly kind: 'noOnboarding' };
