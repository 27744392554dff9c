// A pause binds all Workers, also those that start during it; how many requests may be under way is each process's own.
import type { SharedPauses } from '../agents-md/shared-pauses.ts';
import type { Quota } from './rate-limit.ts';

/** If the host names no time, GitHub documents a minute, and more after each further refusal. */
const UNTIMED_PAUSE_MS = 60_000;
/** A pause is never shorter than the time the host names, and doubles from one second while the host still refuses. */
const TIMED_PAUSE_MS_MIN = 1_000;
const GROWN_PAUSE_MS_MAX = 30 * 60_000;
/** Longer than any hourly quota. One odd header must not stop a day's checks: after this time, one request probes. */
const PAUSE_MS_MAX = 2 * 3_600_000;
/** A 403 may concern one URL. After so many different URLs in a row without a success, it concerns the origin. */
const UNEXPLAINED_URLS_MAX = 3;
/** The wait of a request whose time ran out while another one probed. */
const PROBE_WAIT_MS = 5_000;

interface Origin {
  underWay: number;
  /** Requests allowed at once: one until the origin has answered, then what its quota leaves. */
  underWayMax: number;
  pausedUntilMs: number;
  /** Why it is paused, in words. */
  because: string;
  /** Distinguishes requests sent before the latest pause from later ones. */
  pauses: number;
  /** Consecutive. */
  refusals: number;
  readonly unexplained: Set<string>;
  readonly waiting: Set<() => void>;
}

interface Pause {
  readonly remainingMs: number;
  /** In words, such as `status 429 to an earlier request`. */
  readonly because: string;
}

/** Permission to send a request. The caller calls exactly one method once it knows the response's head. */
export interface RequestPermit {
  /** A rate limit. Returns how long to wait. @param forMs the time that the origin named, if any */
  refused(forMs: number | undefined, because: string): number;
  /** A 403 without a reason. Returns how long to wait if it concerns the origin, otherwise undefined. */
  refusedUnexplained(url: string): number | undefined;
  /** @param quota undefined if the origin did not state it */
  answered(quota: Quota | undefined): void;
  /** No response, or a failure of the host itself. */
  failed(): void;
}

/**
 * The rate limits of each origin, for every request of the process: none is sent during a pause, and after a pause, as at
 * the start, one request probes before the others follow.
 */
export interface OriginPauses {
  /** Waits while another request probes, until the signal is aborted. */
  enter(origin: string, signal: AbortSignal): Promise<RequestPermit | Pause>;
  /** Resolves when every pause so far is stored. */
  saved(): Promise<void>;
}

/** @param now milliseconds since the epoch */
export function createOriginPauses(now: () => number, shared: SharedPauses): OriginPauses {
  const origins = new Map<string, Origin>();
  const saving = new Set<Promise<void>>();

  function pause(name: string, origin: Origin, forMs: number, because: string): void {
    origin.pausedUntilMs = Math.max(origin.pausedUntilMs, now() + Math.min(forMs, PAUSE_MS_MAX));
    origin.because = because;
    origin.underWayMax = 1;
    origin.pauses += 1;
    const saved = shared.put(name, { untilMs: origin.pausedUntilMs, because });
    saving.add(saved);
    // `saved` reports a failure.
    saved.then(
      () => saving.delete(saved),
      () => undefined,
    );
  }

  async function takeOverPause(name: string, origin: Origin): Promise<void> {
    const found = await shared.get(name);
    if (found === undefined || found.untilMs <= Math.max(now(), origin.pausedUntilMs)) return;
    origin.pausedUntilMs = found.untilMs;
    origin.because = found.because;
    origin.underWayMax = 1;
    origin.pauses += 1;
  }

  function passage(name: string, origin: Origin): RequestPermit {
    const sentAfter = origin.pauses;
    const isCurrent = (): boolean => sentAfter === origin.pauses;
    const leave = (): void => {
      leaveOrigin(origin);
    };
    const refused = (forMs = 0, because: string): number => {
      const remainingMs = origin.pausedUntilMs - now();
      // Concurrent requests are refused together: they count once.
      if (isCurrent()) origin.refusals += 1;
      const startMs = forMs === 0 ? UNTIMED_PAUSE_MS : TIMED_PAUSE_MS_MIN;
      const grownMs = Math.min(startMs * 2 ** (origin.refusals - 1), GROWN_PAUSE_MS_MAX);
      const waitMs = isCurrent() ? Math.max(forMs, grownMs) : Math.max(forMs, remainingMs);
      if (waitMs > remainingMs) pause(name, origin, waitMs, `${because} to an earlier request`);
      leave();
      return waitMs;
    };
    return {
      refused,
      refusedUnexplained(url) {
        origin.unexplained.add(url);
        if (origin.unexplained.size >= UNEXPLAINED_URLS_MAX) return refused(undefined, 'status 403');
        leave();
        return undefined;
      },
      answered(quota) {
        // The response to a request from before a pause does not end the pause.
        if (isCurrent()) {
          origin.refusals = 0;
          origin.unexplained.clear();
          origin.underWayMax = quota?.remaining ?? Infinity;
        }
        if (quota?.remaining === 0) pause(name, origin, quota.resetMs ?? UNTIMED_PAUSE_MS, 'its quota is exhausted');
        leave();
      },
      failed() {
        // An outage is not a refusal.
        if (origin.refusals === 0 && origin.unexplained.size === 0) origin.underWayMax = Infinity;
        leave();
      },
    };
  }

  return {
    async enter(name, signal) {
      const origin = origins.get(name) ?? newOrigin();
      origins.set(name, origin);
      for (;;) {
        const remainingMs = origin.pausedUntilMs - now();
        if (remainingMs > 0) return { remainingMs, because: origin.because };
        if (origin.underWay < origin.underWayMax) {
          origin.underWay += 1;
          const pausesBefore = origin.pauses;
          await takeOverPause(name, origin).catch((error: unknown) => {
            leaveOrigin(origin);
            throw error;
          });
          // An earlier request of this process may have been refused meanwhile, too.
          if (origin.pauses === pausesBefore) return passage(name, origin);
          leaveOrigin(origin);
          continue;
        }
        if (signal.aborted)
          return { remainingMs: PROBE_WAIT_MS, because: 'another request is probing whether it still does' };
        await nextChange(origin, signal);
      }
    },

    async saved() {
      const all = [...saving];
      saving.clear();
      await Promise.all(all);
    },
  };
}

function leaveOrigin(origin: Origin): void {
  origin.underWay -= 1;
  for (const wake of origin.waiting) wake();
}

const newOrigin = (): Origin => ({
  underWay: 0,
  underWayMax: 1,
  pausedUntilMs: 0,
  because: '',
  pauses: 0,
  refusals: 0,
  unexplained: new Set(),
  waiting: new Set(),
});

async function nextChange({ waiting }: Origin, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener('abort', wake);
  });
}
