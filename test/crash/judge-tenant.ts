import type { ReceivedMessage } from '../../src/dev/world/message-ledger.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import type { UndoneStep } from '../../src/onboarding/failures.ts';
import { type UndoableRow, undoableRows } from '../../src/onboarding/steps.ts';
import type { PlannedTenant, TenantKind } from './crash-plan.ts';
import type { Held } from './held-at-service.ts';
import { judgeCopies } from './judge-copies.ts';

/** What is known of one tenant when all is over. */
export interface TenantEvidence {
  readonly tenant: PlannedTenant;
  /** The last view of its onboarding; undefined when the HTTP API never answered. */
  readonly view: OnboardingView | undefined;
  readonly held: Held;
  /** What the receiver has for the tenant's recipient, oldest first. */
  readonly copies: readonly Pick<ReceivedMessage, 'messageId' | 'receivedAt' | 'raw' | 'dkim' | 'spf'>[];
  /** When the email service was killed, in milliseconds of the Unix epoch. */
  readonly emailServiceKillsMs: readonly number[];
}

/**
 * outcome: an end that was not foreseen for the tenant, or none. duplicate: a copy that nothing allows. lost: a message
 * or a resource that should be there and is not. orphan: a resource that the outcome does not list, or says is gone.
 */
export type FaultKind = 'outcome' | 'duplicate' | 'lost' | 'orphan';
export interface Fault {
  readonly kind: FaultKind;
  readonly tenantId: string;
  readonly words: string;
}

export interface TenantVerdict {
  /** `onboarded`, `cancelled`, a failure's type; `running` when it has not ended. */
  readonly outcome: string;
  readonly windowCopies: number;
  readonly faults: readonly Fault[];
}

const foreseen: Readonly<Record<TenantKind, readonly string[]>> = {
  good: ['onboarded'],
  refused: ['EmailBounced'],
  unpublished: ['DomainVerificationTimedOut'],
  misplaced: ['DomainVerificationTimedOut'],
  // A cancellation may come when everything is done.
  cancelled: ['cancelled', 'onboarded'],
};

export function judgeTenant(evidence: TenantEvidence): TenantVerdict {
  const { tenant, view, held, copies, emailServiceKillsMs } = evidence;
  const outcome = outcomeOf(view);
  const faults: Fault[] = [];
  const fault = (kind: FaultKind, words: string): void => {
    faults.push({ kind, tenantId: tenant.id, words });
  };
  if (!foreseen[tenant.kind].includes(outcome)) {
    fault('outcome', `a ${tenant.kind} tenant ended as ${outcome}; ${whereabouts(view)}`);
  }
  const { windowCopies, duplicates } = judgeCopies(copies, held.emails, emailServiceKillsMs);
  for (const words of duplicates) fault('duplicate', words);
  judgeMessages(evidence, outcome, fault);
  if (view !== undefined && outcome !== 'running') judgeResources(view, held, fault);
  return { outcome, windowCopies, faults };
}

type AddFault = (kind: FaultKind, words: string) => void;

function judgeMessages({ copies, held }: TenantEvidence, outcome: string, fault: AddFault): void {
  if (outcome === 'onboarded' && copies.length === 0) fault('lost', 'onboarded, and the receiver has no message');
  if ((outcome === 'EmailBounced' || outcome === 'DomainVerificationTimedOut') && copies.length > 0) {
    fault('duplicate', `ended as ${outcome}, and the receiver has ${copies.length} messages`);
  }
  const known = new Set(held.emails.map(({ message_id }) => message_id));
  for (const { messageId, dkim, spf } of copies) {
    if (!known.has(messageId)) fault('orphan', `the receiver has ${messageId}, which the email service does not list`);
    if (dkim !== 'pass' || spf !== 'pass') fault('outcome', `${messageId} was judged dkim=${dkim} spf=${spf}`);
  }
  for (const { id, status, message_id: messageId } of held.emails) {
    if (status === 'delivered' && !copies.some((copy) => copy.messageId === messageId)) {
      fault('lost', `${id} is called delivered, and the receiver does not have it`);
    }
    if (status === 'queued') fault('outcome', `${id} is still queued`);
  }
}

/** What the outcome lists against what the email service lists: nothing more, nothing less. */
function judgeResources(view: OnboardingView, held: Held, fault: AddFault): void {
  const { ownKey, issueApiKey } = held.byStep;
  if (ownKey.length !== issueApiKey.length)
    fault(
      'orphan',
      `${String(ownKey.length)} keys of sendoff's own beside ${String(issueApiKey.length)} of the tenant`,
    );
  const { onboarding, outcome } = view;
  const gone = idsOf(onboarding.undo.filter(({ result }) => result === 'undone'));
  const heldOf = (step: UndoableRow['step']): readonly string[] =>
    step === 'issueApiKey' ? [...issueApiKey, ...ownKey] : held.byStep[step];
  for (const row of undoableRows) {
    const { step } = row;
    const listed = outcome === 'onboarded' ? listedAtSuccess(view, row) : listedByUndo(onboarding.undo, row);
    for (const id of heldOf(step).filter((id) => !listed.includes(id))) {
      fault('orphan', `${id} of ${step} is held, and ${gone.includes(id) ? 'is called undone' : 'nowhere listed'}`);
    }
    for (const id of listed.filter((id) => !heldOf(step).includes(id))) {
      fault('lost', `${id} of ${step} is listed, and the email service does not hold it`);
    }
  }
  const emailIds = onboarding.emailId === null ? [] : [onboarding.emailId];
  // The answer to the last POST may have been lost to a cancellation; more than one email is never right.
  const unlisted = held.emails.filter(({ id }) => !emailIds.includes(id));
  const mayBeUnlisted = outcome === 'cancelled' ? 1 - emailIds.length : 0;
  for (const { id } of unlisted.slice(mayBeUnlisted)) fault('orphan', `${id} is held, and nowhere listed`);
}

const listedAtSuccess = ({ onboarding }: OnboardingView, { step, id }: UndoableRow): string[] =>
  [onboarding[id], step === 'issueApiKey' ? onboarding.ownKeyId : null].flatMap((one) => one ?? []);

/** What could not be undone is there too, and the report says so. */
const listedByUndo = (undo: readonly UndoneStep[], { step }: UndoableRow): string[] =>
  idsOf(undo.filter((entry) => entry.step === step && entry.result !== 'undone'));

const idsOf = (undo: readonly UndoneStep[]): string[] => undo.flatMap(({ resourceId }) => resourceId ?? []);

export function outcomeOf(view: OnboardingView | undefined): string {
  if (view === undefined) return 'never answered';
  return view.outcome === 'failed' ? (view.failure?.type ?? 'an untyped failure') : view.outcome;
}

/** The state of the onboarding, for the reader of the fault. */
function whereabouts(view: OnboardingView | undefined): string {
  if (view === undefined) return 'nothing is known of it';
  const waiting = view.waitingFor.map(
    ({ activity, attempt, message }) => `${activity}, attempt ${attempt}: ${message ?? 'under way'}`,
  );
  const stage = `stage ${view.onboarding.stage}`;
  return [stage, ...waiting, ...(view.failure === null ? [] : [view.failure.message])].join('; ');
}
