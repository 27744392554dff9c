/** One odd header must not end the checks of a day: so much later one question finds out. */
const PAUSE_MS_MAX = 30 * 60_000;
/** Time for that one question to be answered; a question that was lost gives way to the next. */
const TRIAL_MS = 60_000;

interface Pause {
  /** When the origin wants to be asked again, in milliseconds since the epoch. */
  readonly endsAtMs: number;
  /** When the next question may find out whether that still holds. */
  trialAtMs: number;
  /** A question is finding out. */
  inTrial: boolean;
}

/** Origins that have asked for fewer requests and said for how long: it binds every question, whoever asks it. */
export interface OriginPauses {
  /** Milliseconds for which the origin must not be asked; 0: now, and what it answers is to be told. */
  remainingMs(origin: string): number;
  /** @param forMs milliseconds the origin asked to wait */
  begin(origin: string, forMs: number): void;
  /** The origin has answered, and not asked for fewer requests. */
  answered(origin: string): void;
}

/** @param now milliseconds since the epoch */
export function createOriginPauses(now: () => number): OriginPauses {
  const pauses = new Map<string, Pause>();
  return {
    remainingMs(origin) {
      const pause = pauses.get(origin);
      if (pause === undefined) return 0;
      if (now() >= pause.endsAtMs) {
        pauses.delete(origin);
        return 0;
      }
      if (now() < pause.trialAtMs) return pause.trialAtMs - now();
      pause.inTrial = true;
      pause.trialAtMs = Math.min(now() + TRIAL_MS, pause.endsAtMs);
      return 0;
    },

    begin(origin, forMs) {
      pauses.set(origin, {
        endsAtMs: now() + forMs,
        trialAtMs: now() + Math.min(forMs, PAUSE_MS_MAX),
        inTrial: false,
      });
    },

    answered(origin) {
      // An answer to a question that was put before the pause says nothing about it.
      if (pauses.get(origin)?.inTrial === true) pauses.delete(origin);
    },
  };
}
