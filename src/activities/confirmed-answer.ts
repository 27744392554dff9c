import { activityInfo, heartbeat } from '@temporalio/activity';
import type { ProviderError } from '../email-provider/provider-error.ts';

/** An answer that ends an onboarding must repeat this often over this time: faults of a proxy or a lagging replica are temporary. */
const CONFIRMED_TIMES = 3;
const CONFIRMED_AFTER_MS = 5 * 60_000;
/** Doubles from attempt to attempt. */
const FIRST_DELAY_MS = 2_000;
const DELAY_MS_MAX = 60_000;

/** Kept in the heartbeat details, which pass from attempt to attempt without a history event. */
interface Repetition {
  readonly answer: string;
  /** By the server's clock, milliseconds since the epoch. */
  readonly since: number;
  readonly times: number;
  /** ID of the resource that an earlier DELETE may have removed although its response was lost. */
  readonly lostDeletion?: string;
}

/** Whether earlier attempts of this Activity got the same answer often and long enough. */
export function isConfirmed(error: ProviderError): boolean {
  const { since, times } = repetitionOf(error);
  const elapsedMs = activityInfo().currentAttemptScheduledTimestampMs - since;
  return times >= CONFIRMED_TIMES && elapsedMs >= CONFIRMED_AFTER_MS;
}

/** Records the answer for the next attempt. Returns the delay before it; undefined if the retry policy decides. */
export function recordUnconfirmed(error: ProviderError): number | undefined {
  // A Local Activity has no heartbeat, and its two attempts are over within seconds.
  if (activityInfo().isLocal) return undefined;
  const repetition = repetitionOf(error);
  heartbeat(repetition);
  return Math.min(FIRST_DELAY_MS * 2 ** (repetition.times - 1), DELAY_MS_MAX);
}

/** Called after any other answer: the count starts again. */
export function forgetUnconfirmed(): void {
  // Without new details, the server would keep the old ones.
  if ((earlierRepetition()?.times ?? 0) > 0) heartbeat({ answer: '', since: 0, times: 0 } satisfies Repetition);
}

/** Records that this attempt's DELETE may have succeeded. Skipped after a refusal or 404, which needs its own confirmation. */
export function recordLostDeletion(id: string): void {
  if (activityInfo().isLocal || (earlierRepetition()?.times ?? 0) > 0) return;
  heartbeat({ answer: '', since: 0, times: 0, lostDeletion: id } satisfies Repetition);
}

export const isLostDeletion = (id: string): boolean => earlierRepetition()?.lostDeletion === id;

function repetitionOf({ call, httpStatus, code }: ProviderError): Repetition {
  const answer = `${call} ${httpStatus} ${code}`;
  const earlier = earlierRepetition();
  const times = earlier?.answer === answer ? earlier.times + 1 : 1;
  // Counted from the second answer: the first attempt may have been scheduled long before.
  const since = times > 2 && earlier ? earlier.since : activityInfo().currentAttemptScheduledTimestampMs;
  return { answer, since, times };
}

const earlierRepetition = (): Repetition | undefined => activityInfo().heartbeatDetails as Repetition | undefined;
