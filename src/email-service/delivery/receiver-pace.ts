// How fast this process sends to each receiving domain. A receiver counts the connections of one client and slows it down with 421 or
// 4.7.z (RFC 3463 section 3.8), so each process adapts to the replies that it gets, and forgets them when it ends. Temporal retries an
// email that must wait.
import type { DeliveryResult } from './deliver-message.ts';

/** More than one account may have under way, so that none takes a domain from the others; a quarter of the slots of a process. */
const CONNECTIONS_MAX = 50;
/** Between the beginnings of two attempts, once a receiver has asked for less; doubled each time that it asks again. */
const INTERVAL_FIRST_MS = 1_000;
const INTERVAL_MAX_MS = 10_000;
/** As long as a slow receiver usually counts; after this without another request, the domain is as any other. */
const FORGET_AFTER_MS = 10 * 60_000;
/** A session usually takes a second, so one of many becomes free several times in this. */
const BUSY_RETRY_MS = 5_000;

export interface ReceiverPace {
  /** Begins an attempt, whose `end` must follow; otherwise in how many milliseconds to ask again. */
  begin(domain: string): { readonly retryInMs: number } | undefined;
  /** @param result undefined if the attempt has none */
  end(domain: string, result: DeliveryResult | undefined): void;
}

interface Domain {
  underWay: number;
  connectionsMax: number;
  /** 0 until the receiver asks for less. */
  intervalMs: number;
  nextAt: number;
  slowedAt: number;
}

/** @param clock milliseconds, only for differences */
export function createReceiverPace(clock: () => number = () => performance.now()): ReceiverPace {
  /** Those with an attempt under way, or that are slowed down. */
  const domains = new Map<string, Domain>();

  function stateOf(domain: string): Domain {
    const now = clock();
    const known = domains.get(domain);
    const fresh = { connectionsMax: CONNECTIONS_MAX, intervalMs: 0, nextAt: 0, slowedAt: -Infinity };
    if (known === undefined) return { underWay: 0, ...fresh };
    return now - known.slowedAt < FORGET_AFTER_MS ? known : Object.assign(known, fresh);
  }

  return {
    begin(domain) {
      const state = stateOf(domain);
      const now = clock();
      if (state.underWay >= state.connectionsMax) return { retryInMs: Math.max(BUSY_RETRY_MS, state.intervalMs) };
      if (now < state.nextAt) return { retryInMs: Math.max(BUSY_RETRY_MS, state.nextAt - now) };
      state.underWay += 1;
      state.nextAt = now + state.intervalMs;
      domains.set(domain, state);
      return undefined;
    },
    end(domain, result) {
      const state = stateOf(domain);
      state.underWay -= 1;
      if (result !== undefined && asksForLess(result)) {
        state.connectionsMax = Math.max(1, Math.floor(Math.min(state.connectionsMax, state.underWay + 1) / 2));
        state.intervalMs = Math.min(Math.max(INTERVAL_FIRST_MS, state.intervalMs * 2), INTERVAL_MAX_MS);
        state.slowedAt = clock();
        state.nextAt = state.slowedAt + state.intervalMs;
      } else if (result?.kind === 'delivered') {
        state.connectionsMax = Math.min(state.connectionsMax + 1, CONNECTIONS_MAX);
        state.intervalMs = state.intervalMs > INTERVAL_FIRST_MS ? state.intervalMs / 2 : 0;
      }
      const isAsAnyOther = state.connectionsMax === CONNECTIONS_MAX && state.intervalMs === 0;
      if (state.underWay === 0 && isAsAnyOther) domains.delete(domain);
    },
  };
}

const asksForLess = (result: DeliveryResult): boolean =>
  result.kind === 'deferred' &&
  (result.reply?.replyCode === 421 || result.reply?.enhancedCode?.startsWith('4.7.') === true);
