import { setTimeout as sleep } from 'node:timers/promises';
import { passingCodes } from './api-client.ts';
import { CommandError } from './command-error.ts';

const PAUSE_MS = 1_000;
/** Longer than a restart of the API or of Temporal takes; then it is said to whoever waits. */
const OUTAGE_MS_MAX = 120_000;

export interface OutageWatch {
  /** Takes one line when an outage begins. */
  readonly report: (line: string) => void;
  /** Ends the waiting: its reason is thrown. */
  readonly signal: AbortSignal;
  /** @default 1 second */
  readonly pauseMs?: number;
  /** @default 2 minutes */
  readonly outageMsMax?: number;
}

/**
 * A call of somebody who follows what goes on without them: made again while the API or Temporal is out of reach, for
 * two minutes at most. Any other error is thrown at once.
 */
export async function outlastOutage<Answer>(
  call: () => Promise<Answer>,
  { report, signal, pauseMs = PAUSE_MS, outageMsMax = OUTAGE_MS_MAX }: OutageWatch,
): Promise<Answer> {
  const since = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const passes = error instanceof CommandError && passingCodes.includes(error.code);
      if (!passes || Date.now() - since >= outageMsMax) throw error;
      if (attempt === 1) report(`${error.message}\nTrying again: what was started goes on meanwhile.`);
    }
    await sleep(pauseMs, undefined, { signal });
  }
}
