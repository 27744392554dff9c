import { activityInfo, Context, heartbeat } from '@temporalio/activity';
import type { ProviderError } from '../email-provider/provider-error.ts';
import { CONFIRMED_AFTER_MS, CONFIRMED_TIMES } from '../onboarding/time-limits.ts';

/** Doubles from attempt to attempt. */
const FIRST_DELAY_MS = 2_000;
const DELAY_MS_MAX = 60_000;

/** Kept in the heartbeat details, which pass from attempt to attempt without a history event. */
interface Repetition {
  readonly answer: string;
  /** By the server's clock, milliseconds since the epoch. */
  readonly since: number;
  readonly times: number;
  /** IDs of resources that an earlier DELETE has removed, or may have although its response was lost. */
  readonly deleted?: readonly string[];
  /** IDs of what the repetitions of lost creations found: at a provider that ignores Idempotency-Keys, each one creates another resource. */
  readonly found?: Readonly<Record<string, string>>;
}

/** Name of the resource in an Activity that looks for one. */
const ONE = 'resource';
const NOTHING: Repetition = { answer: '', since: 0, times: 0 };
/** Details that this attempt has sent: `activityInfo` has only those of the previous attempt. */
const keptBy = new WeakMap<Context, Repetition>();

/** The finding of an earlier attempt, or of this one, about a creation whose answer was lost. */
export const foundEarlier = (what = ONE): string | undefined => earlierRepetition()?.found?.[what];

export function recordFound(id: string, what = ONE): void {
  if (activityInfo().isLocal) return;
  const earlier = earlierRepetition() ?? NOTHING;
  keep({ ...earlier, found: { ...earlier.found, [what]: id } });
}

/** Whether earlier attempts of this Activity got the same answer often and long enough. */
export function isConfirmed(error: ProviderError): boolean {
  const { since, times } = repetitionOf(error);
  const elapsedMs = activityInfo().currentAttemptScheduledTimestampMs - since;
  return times >= CONFIRMED_TIMES && elapsedMs >= CONFIRMED_AFTER_MS;
}

/** Whether this Activity has failed for so long that a step which its onboarding can do without is given up. */
export function isOverdue(): boolean {
  const { isLocal, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  return !isLocal && currentAttemptScheduledTimestampMs - scheduledTimestampMs >= CONFIRMED_AFTER_MS;
}

/** Records the answer for the next attempt. Returns the delay before it; undefined if the retry policy decides. */
export function recordUnconfirmed(error: ProviderError): number | undefined {
  // A Local Activity has no heartbeat, and its two attempts are over within seconds.
  if (activityInfo().isLocal) return undefined;
  const repetition = repetitionOf(error);
  keep({ ...repetition, ...lasting() });
  return Math.min(FIRST_DELAY_MS * 2 ** (repetition.times - 1), DELAY_MS_MAX);
}

/** Called after any other answer: the count starts again. */
export function forgetUnconfirmed(): void {
  // Without new details, the server would keep the old ones.
  if ((earlierRepetition()?.times ?? 0) > 0) keep({ ...NOTHING, ...lasting() });
}

/** Records that this attempt's DELETE may have succeeded. Skipped after a refusal or 404, which needs its own confirmation. */
export function recordLostDeletion(id: string): void {
  if ((earlierRepetition()?.times ?? 0) === 0) recordDeletion(id);
}

/** Records that the resource is gone: in an Activity that deletes another one, too, whose count must outlive its repetitions. */
export function recordDeletion(id: string): void {
  if (!activityInfo().isLocal && !isDeleted(id))
    keep({ ...NOTHING, ...lasting(), deleted: [...(lasting().deleted ?? []), id] });
}

export const isDeleted = (id: string): boolean => lasting().deleted?.includes(id) === true;

function repetitionOf({ call, httpStatus, code }: ProviderError): Repetition {
  const answer = `${call} ${httpStatus} ${code}`;
  const earlier = earlierRepetition();
  const times = earlier?.answer === answer ? earlier.times + 1 : 1;
  // Counted from the second answer: the first attempt may have been scheduled long before.
  const since = times > 2 && earlier ? earlier.since : activityInfo().currentAttemptScheduledTimestampMs;
  return { answer, since, times };
}

const earlierRepetition = (): Repetition | undefined =>
  keptBy.get(Context.current()) ?? (activityInfo().heartbeatDetails as Repetition | undefined);

/** The fields that stay when the count starts again. */
function lasting(): Pick<Repetition, 'deleted' | 'found'> {
  const { deleted, found } = earlierRepetition() ?? NOTHING;
  return { ...(deleted !== undefined && { deleted }), ...(found !== undefined && { found }) };
}

function keep(repetition: Repetition): void {
  keptBy.set(Context.current(), repetition);
  heartbeat(repetition);
}
