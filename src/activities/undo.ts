import { ProviderError } from '../email-provider/provider-error.ts';
import { isConfirmed, isDeleted, recordLostDeletion } from './confirmed-answer.ts';

/**
 * The id of what a step created although its answer never arrived: a repetition with the same Idempotency-Key returns the
 * first answer. Null if the provider refuses the repetition, because then it refused the first request too.
 */
export async function idOfLostAnswer(repeat: () => Promise<{ id: string }>): Promise<string | null> {
  try {
    return (await repeat()).id;
  } catch (error) {
    // Other errors, such as 401, do not tell whether the first request was refused.
    if (!(error instanceof ProviderError && error.meaning === 'refused')) throw error;
    // Our own creation would be returned, not refused: this one existed before.
    return error.code === 'already_exists' ? null : (error.existingId ?? null);
  }
}

/**
 * A confirmed `gone` is success: an earlier attempt or another client deleted it. A lagging replica may report the same of
 * what still exists, so `gone` counts only after a lost answer to the same deletion or when it repeats.
 */
export async function goneAfter(id: string, deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    const isAnswered = error instanceof ProviderError && error.httpStatus < 500;
    if (!isAnswered) recordLostDeletion(id);
    if (!isAnswered || error.meaning !== 'gone' || !(isDeleted(id) || isConfirmed(error))) throw error;
  }
}
