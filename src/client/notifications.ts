import { type Hint, HintMerger } from './notification-merger.ts';
import type { Onboardings } from './onboardings.ts';

export interface Hints {
  /** False when the onboarding is over, or was never there. Throws when the Signal could not be sent. */
  receive(tenantId: string, hint: Hint): Promise<boolean>;
  /**
   * Hands on what still waits, so that a deployment in the middle of a storm costs nobody its news, and resolves when
   * no merged Signal is under way any more.
   */
  close(): Promise<void>;
}

/** Timers take at most 2^31 ms; an interval is shorter, but a clock may be set. */
const TIMER_MAX_MS = 24 * 3_600_000;

/**
 * Between the receiver of webhooks and the Workflow: carries out what HintMerger decides, with one Timer for all
 * tenants. A hint that was merged is answered for before it is sent: should this process die, or Temporal be away until
 * it ends, polling finds the same a little later.
 */
export function createHints(poke: Onboardings['poke'], clock: () => number = Date.now): Hints {
  const merger = new HintMerger();
  const underWay = new Map<string, Promise<boolean>>();
  const turns = new Set<Promise<void>>();
  let timer: { at: number; handle: NodeJS.Timeout } | undefined;
  let isClosed = false;

  function wakeAt(at: number | undefined): void {
    if (isClosed || at === undefined || (timer !== undefined && timer.at <= at)) return;
    clearTimeout(timer?.handle);
    const delayMs = Math.min(Math.max(at - clock(), 0), TIMER_MAX_MS);
    timer = { at, handle: setTimeout(takeTurn, delayMs) };
  }

  function takeTurn(): void {
    const turn = handOnDue().finally(() => turns.delete(turn));
    turns.add(turn);
  }

  async function handOnDue(): Promise<void> {
    timer = undefined;
    const sent = merger.takeDue(clock()).map((due) => handOnMerged(due));
    wakeAt(merger.nextDueAt());
    await Promise.all(sent);
    wakeAt(merger.nextDueAt());
  }

  async function handOnMerged({ tenantId, hint }: { tenantId: string; hint: Hint }): Promise<void> {
    try {
      if (!(await poke(tenantId, hint))) merger.forget(tenantId);
    } catch {
      merger.keepWaiting(tenantId, hint);
    }
  }

  async function handOn(tenantId: string, hint: Hint): Promise<boolean> {
    try {
      const taken = await poke(tenantId, hint);
      if (!taken) {
        merger.refused(tenantId, hint);
        merger.forget(tenantId);
      }
      return taken;
    } catch (error) {
      merger.refused(tenantId, hint);
      throw error;
    }
  }

  return {
    async receive(tenantId, hint) {
      const arrival = merger.arrive(tenantId, hint, clock());
      const key = `${tenantId} ${hint.eventId}`;
      switch (arrival.kind) {
        case 'known':
          // The same webhook at the same time as its forerunner, which may still fail.
          return (await underWay.get(key)) ?? true;
        case 'merged':
          wakeAt(arrival.dueAt);
          return true;
        case 'handOn': {
          const sending = handOn(tenantId, hint).finally(() => underWay.delete(key));
          underWay.set(key, sending);
          return sending;
        }
      }
    },

    async close() {
      isClosed = true;
      clearTimeout(timer?.handle);
      timer = undefined;
      // What cannot be sent now is left to polling.
      const waiting = merger.takeDue(clock(), true).map(({ tenantId, hint }) => poke(tenantId, hint));
      await Promise.allSettled([...turns, ...waiting]);
    },
  };
}
