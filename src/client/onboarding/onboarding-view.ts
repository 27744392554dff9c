import type { Mistake } from '../../onboarding/attention.ts';
import type { Exit, UndoneStep } from '../../onboarding/failures.ts';
import { type Onboarding, tenantKeyOf } from '../../onboarding/onboarding.ts';
import { onboardingWorkflowId } from '../../onboarding/onboarding-ids.ts';
import type { FailedAttempt } from '../../onboarding/onboarding-record.ts';
import { Stage } from '../../onboarding/stage.ts';
import { withoutUncheckedAdvice } from '../../onboarding/without-unchecked-advice.ts';
import { type RemainingResource, whatRemains } from '../../onboarding/what-remains.ts';
import type { ApiKeyClaim } from '../../store/onboarding/api-key-claims.ts';
import type { Release } from '../../store/onboarding/provider-intents.ts';
import type { StoredRecord } from '../../store/onboarding/register.ts';
import { type DomainWatchView, domainWatchOf, type WatchedDomain } from '../../store/upkeep/watched-domains.ts';
import type { TemporalPresence } from '../temporal-presence.ts';
import type { TemporalUi } from '../temporal-ui.ts';
import type { PendingActivity } from './waiting-for.ts';

/** Fields of a record that the view leaves out, or shows in another form. */
type HiddenField = 'attemptId' | 'startedWith' | 'stagesEntered' | 'verifiedAt' | 'waiting' | 'attention' | 'reported';

/** A tenant's latest onboarding as the register has it. Times are RFC 3339 UTC. */
export interface OnboardingView extends Omit<StoredRecord, HiddenField> {
  workflowId: string;
  domain: string;
  stage: Stage;
  /** When the verification window closes. */
  deadline: string | null;
  exit: Exit | null;
  /** The definite mistakes in the tenant's DNS. */
  needsAttention: { findings: Mistake[]; since: string } | null;
  nextCheckAt: string | null;
  waitingFor: PendingActivity[];
  /** The resources that a failed, cancelled or terminated onboarding left at the provider; all that its undo has yet to report, while that runs. */
  remains: RemainingResource[];
  apiKey: ApiKeyView;
  /** Null unless the failure is SendOutcomeUnknown, and a person has let the email be sent once more. */
  firstEmailRelease: Release | null;
  /** Null unless the onboarding succeeded. */
  domainWatch: DomainWatchView | null;
  /** Null if the Temporal UI's address is not configured. */
  uiUrl: string | null;
  /** Seconds since `updatedAt`. */
  ageSeconds: number;
  temporal: TemporalPresence;
}

interface ApiKeyView {
  keyId: string | null;
  /** `held`: sendoff has its token. `forgotten`: it has not, and the key may still work at the provider, which did not delete it. */
  state: 'none' | 'held' | 'claimed' | 'revoked' | 'forgotten';
  claimedAt: string | null;
  claimedBy: string | null;
}

export interface ViewParts {
  readonly claim: ApiKeyClaim | undefined;
  readonly release: Release | undefined;
  readonly watched: WatchedDomain | undefined;
  readonly temporal: TemporalPresence;
  readonly ui: TemporalUi;
  readonly nowMs: number;
}

export function onboardingView(
  record: StoredRecord,
  { claim, release, watched, temporal, ui, nowMs }: ViewParts,
): OnboardingView {
  const { attemptId, startedWith, stagesEntered, verifiedAt, waiting, attention, reported, ...shown } = record;
  const { tenantId, runId, outcome, onboarding, updatedAt } = record;
  const workflowId = onboardingWorkflowId(tenantId);
  const isOpen = outcome === 'running' && onboarding.stage !== Stage.undoing;
  const isChecked = outcome === 'running' && onboarding.stage === Stage.awaitingDomain;
  return {
    ...shown,
    // A backend shows its tenants what it finds here.
    onboarding: { ...onboarding, records: withoutUncheckedAdvice(onboarding.records) },
    workflowId,
    domain: onboarding.domain,
    stage: onboarding.stage,
    deadline: onboarding.verificationDeadline,
    exit: record.failure?.details.exit ?? onboarding.badEnd?.exit ?? null,
    needsAttention: attention && { findings: attention.findings, since: attention.since },
    nextCheckAt: isChecked ? (waiting?.nextAttemptAt ?? null) : null,
    waitingFor: waiting === null ? [] : [pendingActivity(waiting)],
    remains: isOpen || outcome === 'onboarded' ? [] : whatRemains(onboarding),
    apiKey: apiKeyView(onboarding, claim),
    firstEmailRelease: release ?? null,
    domainWatch: domainWatchOf(watched),
    uiUrl: ui({ workflowId, runId }),
    ageSeconds: Math.max(0, Math.floor((nowMs - Date.parse(updatedAt)) / 1_000)),
    temporal,
  };
}

const pendingActivity = ({ activity, attempt, message, nextAttemptAt }: FailedAttempt): PendingActivity => ({
  activity,
  attempt: attempt + 1,
  message,
  nextAttemptAt,
});

function apiKeyView(onboarding: Onboarding, claim: ApiKeyClaim | undefined): ApiKeyView {
  if (claim !== undefined) {
    return { keyId: claim.keyId, state: 'claimed', claimedAt: claim.at, claimedBy: claim.by };
  }
  const { step: issuing, keyId } = tenantKeyOf(onboarding);
  const undone = onboarding.undo.find(({ step }) => step === issuing);
  return { keyId, state: keyId === null ? 'none' : stateAfter(undone), claimedAt: null, claimedBy: null };
}

/** An undo that reaches the key forgets its token, whatever the provider answers. */
function stateAfter(undone: UndoneStep | undefined): ApiKeyView['state'] {
  if (undone === undefined || (undone.result === 'kept' && undone.givenUp !== true)) return 'held';
  return undone.result === 'undone' ? 'revoked' : 'forgotten';
}
