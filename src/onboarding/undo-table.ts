import { type BadEnd, UndoableStep } from './failures.ts';
import { UndoScope } from './input.ts';

const { issueApiKey, registerWebhook, registerDomain, createSender } = UndoableStep;
const everything: readonly UndoableStep[] = [issueApiKey, registerWebhook, registerDomain, createSender];

/** The steps that each end undoes; the others are kept. */
const undoneAt: Record<BadEnd, readonly UndoableStep[]> = {
  // Keep the domain, so that the tenant's DNS values stay valid for the next attempt.
  DomainVerificationTimedOut: [issueApiKey, registerWebhook],
  DomainNotVerified: [issueApiKey, registerWebhook],
  // Everything works but the recipient's address or mail server.
  EmailBounced: [],
  DeliveryUnconfirmed: [],
  // Keep the domain, as after F1.
  ProviderUnavailable: [issueApiKey, registerWebhook],
  ProviderRejected: everything,
  InvalidInput: everything,
  Cancelled: everything,
};

/**
 * @param accepted whether the provider accepted the first email, or may have: then everything works, whatever it answers later. A
 * cancellation finds that email under delivery, which needs what was created
 * @param adopted whether the step found an existing resource, which only `undo: 'everything'` deletes
 */
export function undoDecision(
  step: UndoableStep,
  { end, scope, adopted, accepted }: { end: BadEnd; scope: UndoScope; adopted: boolean; accepted: boolean },
): { undo: boolean; reason: string } {
  const keptForEmail = { undo: false, reason: 'kept because the first email was accepted' };
  if (scope === UndoScope.everything && !(accepted && end === 'Cancelled'))
    return { undo: true, reason: 'the input says undo: everything' };
  if (scope === UndoScope.nothing) return { undo: false, reason: 'the input says undo: nothing' };
  if (adopted) return { undo: false, reason: 'existed before this onboarding' };
  if (accepted) return keptForEmail;
  const undo = undoneAt[end].includes(step);
  return { undo, reason: undo ? `undone after ${end}` : `kept after ${end}` };
}
