const MINUTE_MS = 60_000;
/** Ten a second: a small limit is no reason to wait, and what is refused is refused at this pace. */
const INTERVAL_MAX_MS = 100;
/** Taken at once. */
const BURST = 5;
/** An account beyond these is not remembered. */
const ACCOUNTS_MAX = 10_000;

export interface Paced {
  readonly accountId: string;
  /** How many emails the account may send in a minute; 0 if it may send none now. */
  readonly minuteLimit: number;
}

/** When what accounts send is due in this process: each request of an account has a turn, and each further email in it. */
export interface SendingPace {
  /** @returns in how many milliseconds the turn of a request is; undefined if that is too late, and the request has none */
  readonly take: (of: Paced) => number | undefined;
  /** Call it if the request has not awaited its turn: the next one has an earlier turn, which may be that of another. */
  readonly giveBack: (of: Paced) => void;
  /** Counts further emails of a request that had its turn. @returns how many milliseconds their turns take */
  readonly add: (of: Paced, emails: number) => number;
}

/**
 * @param delayMaxMs a later turn is too late
 * @param clock milliseconds, only for differences
 */
export function createSendingPace(delayMaxMs: number, clock: () => number = () => performance.now()): SendingPace {
  /** When the next turn is. The account that sent last comes last. */
  const nextAt = new Map<string, number>();
  const intervalOf = ({ minuteLimit }: Paced): number => Math.min(INTERVAL_MAX_MS, MINUTE_MS / minuteLimit);
  const nextOf = (of: Paced): number =>
    Math.max(nextAt.get(of.accountId) ?? -Infinity, clock() - (BURST - 1) * intervalOf(of));

  function setNext({ accountId }: Paced, at: number): void {
    nextAt.delete(accountId);
    nextAt.set(accountId, at);
    const [oldest] = nextAt.keys();
    if (nextAt.size > ACCOUNTS_MAX && oldest !== undefined) nextAt.delete(oldest);
  }

  return {
    take(of) {
      const at = nextOf(of);
      const delayMs = Math.max(0, at - clock());
      if (delayMs > delayMaxMs) return undefined;
      setNext(of, at + intervalOf(of));
      return delayMs;
    },
    giveBack: (of) => {
      setNext(of, nextOf(of) - intervalOf(of));
    },
    add: (of, emails) => {
      const at = nextOf(of);
      const takeMs = emails * intervalOf(of);
      // After a batch of any size, some requests still have a turn.
      setNext(of, Math.max(at, Math.min(at + takeMs, clock() + delayMaxMs / 2)));
      return takeMs;
    },
  };
}
