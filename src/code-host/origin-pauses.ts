/** Without a time the host documents at least a minute, and longer after each further refusal. */
const UNTIMED_PAUSE_MS = 60_000;
/** A time the host names is kept, and doubled from a second on while the host still refuses. */
const TIMED_PAUSE_MS_MIN = 1_000;
const GROWN_PAUSE_MS_MAX = 30 * 60_000;
/** Longer than any quota of an hour. One odd header must not end the checks of a day: after this one question finds out. */
const PAUSE_MS_MAX = 2 * 3_600_000;
/** A 403 may be about one place. So many different places in a row, without an answer between them, are the origin's own. */
const UNEXPLAINED_PLACES_MAX = 3;
/** For a request that has waited in vain for another one to find out. */
const AWAITED_MS = 5_000;

interface Origin {
  underWay: number;
  /** How many requests may be under way: one until the origin has answered, then what is left of its quota. */
  underWayMax: number;
  pausedUntilMs: number;
  /** Why, in words. */
  because: string;
  /** Tells requests sent before the latest pause from those sent after it. */
  pauses: number;
  /** In a row. */
  refusals: number;
  readonly unexplained: Set<string>;
  readonly waiting: Set<() => void>;
}

export interface Pause {
  readonly remainingMs: number;
  /** In words, such as `status 429 to an earlier request`. */
  readonly because: string;
}

/** A request that may be sent. Exactly one of its methods is called, once its answer's head is known. */
export interface Passage {
  /** The origin asks for fewer requests. Returns how long to wait. @param forMs what it said; undefined: it did not say */
  refused(forMs: number | undefined, because: string): number;
  /** A 403 that does not say why. Returns how long to wait when other places were refused the same way, else undefined. */
  refusedUnexplained(place: string): number | undefined;
  /** @param quota what is left of it; undefined: the origin did not say */
  answered(quota: { readonly remaining: number; readonly resetMs: number | undefined } | undefined): void;
  /** No answer, or a failure of the host's own. */
  failed(): void;
}

/**
 * What each origin has said about its load. It binds every request of the process: while an origin pauses none is sent,
 * and after a pause, as at the start, one request finds out before the others follow.
 */
export interface OriginPauses {
  /** Waits while other requests find out, until the signal is aborted. */
  enter(origin: string, signal: AbortSignal): Promise<Passage | Pause>;
}

/** @param now milliseconds since the epoch */
export function createOriginPauses(now: () => number): OriginPauses {
  const origins = new Map<string, Origin>();

  function pause(origin: Origin, forMs: number, because: string): void {
    origin.pausedUntilMs = Math.max(origin.pausedUntilMs, now() + Math.min(forMs, PAUSE_MS_MAX));
    origin.because = because;
    origin.underWayMax = 1;
    origin.pauses += 1;
  }

  function passage(origin: Origin): Passage {
    const sentAfter = origin.pauses;
    const isCurrent = (): boolean => sentAfter === origin.pauses;
    const leave = (): void => {
      origin.underWay -= 1;
      for (const wake of origin.waiting) wake();
    };
    const refused = (forMs = 0, because: string): number => {
      const remainingMs = origin.pausedUntilMs - now();
      // Requests that were under way together are refused together: they count once.
      if (isCurrent()) origin.refusals += 1;
      const startMs = forMs === 0 ? UNTIMED_PAUSE_MS : TIMED_PAUSE_MS_MIN;
      const grownMs = Math.min(startMs * 2 ** (origin.refusals - 1), GROWN_PAUSE_MS_MAX);
      const waitMs = isCurrent() ? Math.max(forMs, grownMs) : Math.max(forMs, remainingMs);
      if (waitMs > remainingMs) pause(origin, waitMs, `${because} to an earlier request`);
      leave();
      return waitMs;
    };
    return {
      refused,
      refusedUnexplained(place) {
        origin.unexplained.add(place);
        if (origin.unexplained.size >= UNEXPLAINED_PLACES_MAX) return refused(undefined, 'status 403');
        leave();
        return undefined;
      },
      answered(quota) {
        // An answer to a request that was sent before a pause says nothing about it.
        if (isCurrent()) {
          origin.refusals = 0;
          origin.unexplained.clear();
          origin.underWayMax = quota?.remaining ?? Infinity;
        }
        if (quota?.remaining === 0) pause(origin, quota.resetMs ?? UNTIMED_PAUSE_MS, 'nothing left of its quota');
        leave();
      },
      failed() {
        // A host that is down is no host that refuses.
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
          return passage(origin);
        }
        if (signal.aborted)
          return { remainingMs: AWAITED_MS, because: 'another request finds out whether it still does' };
        await nextChange(origin, signal);
      }
    },
  };
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
