import { type BadEnd, UndoableStep } from './failures.ts';
import { UndoScope } from './input.ts';

const { issueApiKey, registerWebhook, registerDomain, createSender } = UndoableStep;
const everything: readonly UndoableStep[] = [issueApiKey, registerWebhook, registerDomain, createSender];

/** What is taken back when an onboarding ends this way; what is not named is kept. */
const undoneAt: Record<BadEnd, readonly UndoableStep[]> = {
  // The domain stays, so that the tenant's DNS values are still valid for the next try.
  DomainVerificationTimedOut: [issueApiKey, registerWebhook],
  DomainNotVerified: [issueApiKey, registerWebhook],
  // The set-up works; only the address was wrong, or the answer of the receiver is still to come.
  EmailBounced: [],
  DeliveryUnconfirmed: [],
  // An outage is over some day: the domain's DNS values are kept for the next try, as after F1.
  ProviderUnavailable: [issueApiKey, registerWebhook],
  ProviderRejected: everything,
  InvalidInput: everything,
  Cancelled: everything,
};

/**
 * Whether a step is undone, and the reason for the report.
 *
 * @param accepted the provider has accepted the first email: the set-up works, whatever the provider answers after it
 * @param adopted the step found what was there before; only `undo: 'everything'` deletes that
 */
export function undoDecision(
  step: UndoableStep,
  { end, scope, adopted, accepted }: { end: BadEnd; scope: UndoScope; adopted: boolean; accepted: boolean },
): { undo: boolean; reason: string } {
  if (scope === UndoScope.everything) return { undo: true, reason: 'undo: everything was asked for' };
  if (scope === UndoScope.nothing) return { undo: false, reason: 'undo: nothing was asked for' };
  if (adopted) return { undo: false, reason: 'was there before this onboarding' };
  if (accepted) return { undo: false, reason: 'kept because the first email was accepted' };
  const undo = undoneAt[end].includes(step);
  return { undo, reason: undo ? `undone at ${end}` : `kept at ${end}` };
}
