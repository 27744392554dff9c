import { ProviderError } from '../email-provider/provider-error.ts';
import { isConfirmed, isLostDeletion, recordLostDeletion } from './confirmed-answer.ts';

/**
 * The id of what a step created although its answer never arrived: repeating it with the same Idempotency-Key gets the
 * first answer again. Null when the provider refuses it, for then it had refused it before.
 */
export async function idOfLostAnswer(repeat: () => Promise<{ id: string }>): Promise<string | null> {
  try {
    return (await repeat()).id;
  } catch (error) {
    // Only a refusal of this very request says that the first one was refused too; 401, for one, says nothing of it.
    if (!(error instanceof ProviderError && error.meaning === 'refused')) throw error;
    // What was there before is somebody else's: our own creation would have been given again, not refused.
    return error.code === 'already_exists' ? null : (error.existingId ?? null);
  }
}

/**
 * Once `gone` is believed it is success: an earlier attempt, or another client, has deleted it. A lagging replica says the
 * same of what is still there, so that it is believed after a lost answer to the same deletion, or when it is repeated.
 */
export async function goneAfter(id: string, deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    const isAnswered = error instanceof ProviderError && error.httpStatus < 500;
    if (!isAnswered) recordLostDeletion(id);
    if (!isAnswered || error.meaning !== 'gone' || !(isLostDeletion(id) || isConfirmed(error))) throw error;
  }
}
