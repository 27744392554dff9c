import { mayHaveActed, ProviderError } from '../../email-provider/provider-error.ts';
import { foundEarlier, isConfirmed, isDeleted, recordFound, recordLostDeletion } from '../confirmed-answer.ts';
import { withoutSecrets } from '../../lib/without-secrets.ts';
import type { Undone, UndoInput } from './step-input.ts';

/**
 * The id of what a step created although its answer never arrived: a repetition with the same Idempotency-Key returns the
 * first answer. Null if the provider refuses the repetition, because then it refused the first request too.
 *
 * @param asWhat how the next attempt of an Activity that looks for several finds it with `foundEarlier`
 */
export async function idOfLostAnswer<Answer extends { readonly id?: string }>(
  repeat: () => Promise<Answer>,
  asWhat?: (answer: Answer) => string,
): Promise<string | null> {
  const known = asWhat === undefined ? foundEarlier() : undefined;
  if (known !== undefined) return known;
  try {
    const answer = await repeat();
    const { id = null } = answer;
    if (id !== null) recordFound(id, asWhat?.(answer));
    return id;
  } catch (error) {
    // Other errors, such as 401, do not show whether the first request was refused.
    if (!(error instanceof ProviderError) || error.meaning === 'unread') throw error;
    if (!error.isRefusal && !(error.meaning === 'unsupported' && isConfirmed(error))) throw error;
    // Our own creation would be returned, not refused: this one existed before.
    return error.meaning === 'exists' ? null : (error.existingId ?? null);
  }
}

/**
 * A confirmed `gone` is success: an earlier attempt or another client deleted it. A lagging replica may report the same of
 * what still exists, so `gone` counts only after a lost answer to the same deletion or when it repeats. A confirmed `unsupported` leaves
 * open whether the resource exists, so it is kept.
 */
export async function goneAfter(
  id: string,
  deletion: Promise<void>,
  { deletesNothing = false }: Pick<UndoInput, 'deletesNothing'> = {},
): Promise<Pick<Undone, 'kept'>> {
  try {
    await deletion;
    return {};
  } catch (error) {
    const isAnswered = error instanceof ProviderError;
    const isUnsupported = isAnswered && error.meaning === 'unsupported';
    if (mayHaveActed(error) && !isUnsupported) recordLostDeletion(id);
    if (isAnswered && error.meaning === 'gone' && (isDeleted(id) || isConfirmed(error))) return {};
    if (!isUnsupported || !(deletesNothing || isDeleted(id) || isConfirmed(error))) throw error;
    return isDeleted(id) ? {} : { kept: `the provider deletes nothing: ${withoutSecrets(error.message)}` };
  }
}
