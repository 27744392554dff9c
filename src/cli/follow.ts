import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../lib/counted.ts';
import { retryableCodes } from './api-client.ts';
import { CommandError } from './command-error.ts';

/** Short enough to look live; each poll is one call to the HTTP API. */
const POLL_INTERVAL_MS = 400;
const RETRY_INTERVAL_MS = 1_000;
/** Longer than a restart of the API or of Temporal takes. */
const OUTAGE_MINUTES_MAX = 2;
/** A Worker that has just been started answers a moment later. */
const SILENCE_REPORTED_AFTER_MS = 5_000;

export interface Watch {
  /** Takes what the user should know beside the progress. */
  readonly report: (text: string) => void;
  /** Ends the following, not what is followed: its reason is thrown. */
  readonly signal: AbortSignal;
}

export interface Followed<View> {
  /** As a sentence names it: `the check`. */
  readonly what: string;
  readonly get: () => Promise<View>;
  /** Whether a Worker answered when the view was made. */
  readonly isAnswered: (view: View) => boolean;
}

/** Returns a function that pauses and then gets the next view. It retries during outages, and reports silent Workers, each once. */
export function createFollower<View>(
  { what, get, isAnswered }: Followed<View>,
  watch: Watch,
): (pauseMs?: number) => Promise<View> {
  let silentSince: number | undefined;
  let isReported = false;
  return async (pauseMs = POLL_INTERVAL_MS) => {
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: watch.signal });
    const view = await outlastOutage(get, watch);
    silentSince = isAnswered(view) ? undefined : (silentSince ?? Date.now());
    isReported &&= silentSince !== undefined;
    if (!isReported && silentSince !== undefined && Date.now() - silentSince >= SILENCE_REPORTED_AFTER_MS) {
      isReported = true;
      watch.report(`No Worker is answering; ${what} continues when one does.`);
    }
    return view;
  };
}

/** Repeats a call while the API or Temporal cannot be reached, until `minutes` after the first. Throws any other error at once. */
export async function outlastOutage<Answer>(
  call: () => Promise<Answer>,
  { report, signal }: Watch,
  minutes = OUTAGE_MINUTES_MAX,
): Promise<Answer> {
  const since = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const passes = error instanceof CommandError && retryableCodes.includes(error.code);
      if (!passes || Date.now() + RETRY_INTERVAL_MS - since >= minutes * 60_000) throw error;
      if (attempt === 1) {
        report(`${error.message}\nRetrying for up to ${counted(minutes, 'minute')}; nothing that was started is lost.`);
      }
    }
    await sleep(RETRY_INTERVAL_MS, undefined, { signal });
  }
}

/**
 * Resolves with what `follow` resolves with, or at once with the exit code of an interruption.
 *
 * @param follow ends when its signal is aborted
 */
export async function unlessInterrupted<End>(
  interrupted: Promise<number>,
  follow: (signal: AbortSignal) => Promise<End>,
): Promise<End | number> {
  const following = new AbortController();
  void interrupted.then(() => {
    following.abort(new Error('interrupted'));
  });
  const end = follow(following.signal);
  // It rejects when aborted; by then the race below has resolved.
  end.catch(() => undefined);
  return Promise.race([end, interrupted]);
}
