import { activityInfo, heartbeat } from '@temporalio/activity';
import type { ProviderError } from '../email-provider/provider-error.ts';

/** An answer that ends something must be given this often, over this time: a proxy's fault or a lagging replica passes. */
const CONFIRMED_TIMES = 3;
const CONFIRMED_AFTER_MS = 5 * 60_000;
/** Doubles from attempt to attempt. */
const FIRST_DELAY_MS = 2_000;
const DELAY_MS_MAX = 60_000;

/** Kept in the heartbeat details, which survive the attempts of one Activity without an event. */
interface Repetition {
  readonly answer: string;
  /** Times are those of the server, milliseconds since the epoch. */
  readonly since: number;
  readonly times: number;
  /** The id of what a deletion whose answer was lost may have deleted. */
  readonly lostDeletion?: string;
}

/** Whether earlier attempts of this Activity got the same answer often and long enough to believe it. */
export function isConfirmed(error: ProviderError): boolean {
  const { since, times } = repetitionOf(error);
  const elapsedMs = activityInfo().currentAttemptScheduledTimestampMs - since;
  return times >= CONFIRMED_TIMES && elapsedMs >= CONFIRMED_AFTER_MS;
}

/** Records the answer for the next attempt. Returns the delay until then; undefined where the policy of the step decides. */
export function recordUnconfirmed(error: ProviderError): number | undefined {
  // The two attempts of a Local Activity are over within seconds and keep nothing.
  if (activityInfo().isLocal) return undefined;
  const repetition = repetitionOf(error);
  heartbeat(repetition);
  return Math.min(FIRST_DELAY_MS * 2 ** (repetition.times - 1), DELAY_MS_MAX);
}

/** An attempt that got another answer: the count begins anew. */
export function forgetUnconfirmed(): void {
  // Servers keep the details of before in place of none.
  if ((earlierRepetition()?.times ?? 0) > 0) heartbeat({ answer: '', since: 0, times: 0 } satisfies Repetition);
}

/** Records that this attempt may have deleted it. Not after a refusal or 404: then that answer is what must be confirmed. */
export function recordLostDeletion(id: string): void {
  if (activityInfo().isLocal || (earlierRepetition()?.times ?? 0) > 0) return;
  heartbeat({ answer: '', since: 0, times: 0, lostDeletion: id } satisfies Repetition);
}

export const isLostDeletion = (id: string): boolean => earlierRepetition()?.lostDeletion === id;

function repetitionOf({ call, httpStatus, code }: ProviderError): Repetition {
  const answer = `${call} ${httpStatus} ${code}`;
  const earlier = earlierRepetition();
  const times = earlier?.answer === answer ? earlier.times + 1 : 1;
  // Counted from the second one on: of the first one, the time may be that before its delay.
  const since = times > 2 && earlier ? earlier.since : activityInfo().currentAttemptScheduledTimestampMs;
  return { answer, since, times };
}

const earlierRepetition = (): Repetition | undefined => activityInfo().heartbeatDetails as Repetition | undefined;
