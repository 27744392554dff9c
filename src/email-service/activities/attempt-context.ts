import { activityInfo, cancellationDetails, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { EmailToDeliver } from '../store/emails.ts';

/** The context of an attempt, which runs in an Activity or in the process that committed the work (`FirstAttempts`). */
export interface AttemptContext {
  /** Call it every two seconds during long work. */
  readonly heartbeat: () => void;
  readonly cancelled: AbortSignal;
  readonly isShuttingDown: () => boolean;
  /** When the attempt was due, in milliseconds since the epoch by the server's clock, which this machine's may not match. */
  readonly dueAtMs: number;
  /** How long the work has waited by that clock, over all attempts. */
  readonly waitedMs: number;
}
function activityRun(): AttemptContext {
  const { currentAttemptScheduledTimestampMs: dueAtMs, scheduledTimestampMs } = activityInfo();
  return {
    heartbeat,
    cancelled: cancellationSignal(),
    isShuttingDown: () => cancellationDetails()?.workerShutdown === true,
    dueAtMs,
    waitedMs: Math.max(dueAtMs - scheduledTimestampMs, 0),
  };
}

export type Attempt<Input, Outcome> = (input: Input, run: AttemptContext) => Promise<Outcome>;

export const asActivity =
  <Input, Outcome>(attempt: Attempt<Input, Outcome>) =>
  (input: Input): Promise<Outcome> =>
    attempt(input, activityRun());

/** The later of the two clocks: an attempt cannot run before it is due, even if this machine's clock lags. */
export const attemptTimeMs = (now: Date, { dueAtMs }: AttemptContext): number => Math.max(now.getTime(), dueAtMs);

export const remainingMs = (email: Pick<EmailToDeliver, 'expires_at'>, now: Date, run: AttemptContext): number =>
  Date.parse(email.expires_at) - attemptTimeMs(now, run);
