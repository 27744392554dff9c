// Most first attempts succeed at once, and a Workflow costs more than they do. An attempt that fails writes into its row when the next
// one is due, and the Workflow starts with that delay. An attempt that this process holds is in one of two states:
//
//   waiting   from: begin, unless it is held already, or its account, destination or kind holds too many
//             to:   running, when each of its shares has a place; dropped, when another process has its row; left, after `waitMs` or at `stop`;
//                   held, when its account is paused
//   running   from: waiting
//             to:   ended, with its row deleted; left, when it failed; held, when its account is paused
//
// What is left is released: its Workflow starts. What is held stays in the outbox until its account is resumed, or it expires soon. After a
// kill or the loss of the database the claim ends and the Workflow starts as well; a start during an attempt is harmless, because an
// email's attempt has a lease and a receiver of webhooks must accept repetitions.
import { ApplicationFailure } from '@temporalio/common';
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Attempts } from '../activities/index.ts';
import { waitsForResume } from '../activities/attempt-delivery.ts';
import type { AttemptContext } from '../activities/attempt-context.ts';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { settlesWithin } from '../../lib/timing/settles-within.ts';
import { type FirstAttempt, holdPaused, releaseStarts, renewClaims, type WorkflowToStart } from '../store/outbox.ts';
import type { Store } from '../store/open-store.ts';
import { createFairQueue, type QueueEntry } from './fair-queue.ts';

/**
 * Makes the first attempt at what this process has committed, so that what succeeds at once needs no Workflow. The claimed outbox
 * row is the promise: the transaction that ends the work deletes it, and otherwise its Workflow starts.
 */
export interface FirstAttempts {
  /** Call it after the commit of a claimed row. Returns at once and never throws. */
  readonly begin: (attempt: FirstAttempt) => void;
  /** Resolves when the attempt has ended or was left to the Workflow; undefined if this process does not have it. */
  readonly ended: (workflowId: string) => Promise<void> | undefined;
  /** Leaves what waits to the Workflows, and lets what runs end, as long as a Worker lets its Activities. */
  stop(): Promise<void>;
}

export interface FirstAttemptsOptions {
  readonly store: Store;
  readonly attempts: { readonly [Type in keyof Attempts]: (input: never, run: AttemptContext) => Promise<unknown> };
  readonly dispatcher: { dispatchSoon(): void };
  readonly logger: Logger;
  /** @default `LIMITS` */
  readonly limits?: FirstAttemptLimits;
  /** How long `stop` lets sessions go on before it aborts them. @default 10 seconds */
  readonly graceMs?: number;
}

/** For attempts of one kind, so that slow receivers of webhooks delay no email. */
export interface FirstAttemptLimits {
  /** Attempts under way in all, for one account, and for one destination. */
  readonly running: number;
  readonly runningForOne: number;
  /** With those that wait, of which only the ids are in memory. */
  readonly held: number;
  readonly heldForOne: number;
  /** How long one may wait: when it takes longer, Temporal shows what is slow. */
  readonly waitMs: number;
}

/**
 * For one account half of the attempts that it may have under way, so that its retries go on. Those held, some 20 MB, are what is accepted
 * in a minute beyond what can be delivered: a Workflow for each would cost ten times as much when there is least to spare.
 */
const LIMITS: FirstAttemptLimits = {
  ...{ running: 100, runningForOne: 10 },
  ...{ held: 20_000, heldForOne: 10_000, waitMs: 5 * 60_000 },
};
/** As the Workers: time for a session to receive its reply, then it is aborted, then the process ends without it. */
const GRACE_MS = 10_000;
const FORCE_MS = 20_000;
/** A claim is renewed when this is left of its ten seconds, give or take an interval. */
const RENEW_INTERVAL_MS = 2_000;
const RENEW_AFTER_MS = 4_000;
/** As many are due again at once. */
const HELD_TOGETHER = 20;
/** A larger query would hold up requests for tens of milliseconds. */
const RENEWED_AT_ONCE = 500;

interface Held extends QueueEntry {
  readonly id: string;
  readonly start: WorkflowToStart;
  readonly heldSince: number;
  claimedAt: number;
  isRunning: boolean;
  readonly over: Promise<void>;
  readonly end: () => void;
}

export function createFirstAttempts(options: FirstAttemptsOptions): FirstAttempts {
  const { store, attempts, dispatcher, logger, limits = LIMITS, graceMs = GRACE_MS } = options;
  /** Oldest first. */
  const held = new Map<string, Held>();
  const waiting = createFairQueue<Held>();
  const heldFor = createCounts(limits.held, limits.heldForOne);
  const runningFor = createCounts(limits.running, limits.runningForOne);
  const leftOutOf = createRepetitionFilter();
  const aborted = new AbortController();
  // Each attempt has one.
  setMaxListeners(0, aborted.signal);
  let isStopping = false;
  let renewals: NodeJS.Timeout | undefined;
  let renewal: Promise<void> | undefined;
  const toHold = createBatches(HELD_TOGETHER, async (ids) => {
    // Their claims end without it, and the sweep does the same.
    const held = await holdPaused(store, ids).catch(warn('cannot hold outbox rows'));
    if (held !== undefined) ids.filter((id) => !held.has(id)).forEach(toLeave.add);
  });
  /** One query releases all that came up during the previous one. */
  const toLeave = createBatches(Infinity, async (ids) => {
    // Their claims end without it, and the sweep starts them.
    await releaseStarts(store, ids).catch(warn('cannot release claims of outbox rows'));
    dispatcher.dispatchSoon();
  });

  const run: AttemptContext = {
    heartbeat: () => undefined,
    cancelled: aborted.signal,
    isShuttingDown: () => aborted.signal.aborted,
    dueAtMs: 0,
    waitedMs: 0,
  };

  function begin({ start, accountId, destination }: FirstAttempt): void {
    const { workflowId: id, workflowType: kind } = start;
    const shares = [kind, `${kind} account ${accountId}`, `${kind} destination ${destination}`];
    if (isStopping || held.has(id) || shares.some(heldFor.isFull)) {
      toLeave.add(id);
      return;
    }
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const heldSince = performance.now();
    const attempt = { id, shares, start, heldSince, claimedAt: heldSince, isRunning: false, over, end };
    held.set(id, attempt);
    waiting.add(attempt);
    heldFor.change(shares, 1);
    renewals ??= setInterval(tick, RENEW_INTERVAL_MS);
    runWaiting();
  }

  function runWaiting(): void {
    const next = (): Held | undefined => waiting.next(runningFor.isFull);
    for (let attempt = next(); attempt !== undefined; attempt = next()) void runOnce(attempt);
  }

  async function runOnce(attempt: Held): Promise<void> {
    const { id, shares, start } = attempt;
    const { workflowType, input } = start;
    attempt.isRunning = true;
    runningFor.change(shares, 1);
    try {
      await attempts[workflowType](input as never, run);
    } catch (error) {
      if (!(error instanceof ApplicationFailure))
        logger.error({ err: error, workflowType, workflowId: id }, 'unexpected error; its Workflow tries again');
      if (waitsForResume(error)) {
        toHold.add(id);
        holdWaiting(attempt);
      } else toLeave.add(id);
    } finally {
      runningFor.change(shares, -1);
      letGo(attempt);
      runWaiting();
    }
  }

  /** An attempt at another email of the account would be told the same. */
  function holdWaiting({ shares: [, account] }: Held): void {
    for (const attempt of held.values()) {
      if (attempt.shares[1] !== account || !waiting.remove(attempt)) continue;
      toHold.add(attempt.id);
      letGo(attempt);
    }
  }

  function letGo({ id, shares, end }: Held): void {
    held.delete(id);
    heldFor.change(shares, -1);
    end();
    if (held.size > 0) return;
    clearInterval(renewals);
    renewals = undefined;
  }

  function tick(): void {
    giveUpWaiting(performance.now() - limits.waitMs);
    renewal ??= renewOld()
      // The Workflow that starts after the end of a claim waits for the attempt.
      .catch(warn('cannot renew the claims of outbox rows'))
      .finally(() => (renewal = undefined));
  }

  function giveUpWaiting(heldBefore: number): void {
    for (const attempt of held.values()) {
      if (attempt.heldSince > heldBefore) break;
      if (attempt.isRunning) continue;
      waiting.remove(attempt);
      toLeave.add(attempt.id);
      letGo(attempt);
    }
  }

  async function renewOld(): Promise<void> {
    const due = performance.now() - RENEW_AFTER_MS;
    const old = [...held.values()].filter(({ claimedAt }) => claimedAt <= due);
    while (old.length > 0) {
      const asked = old.splice(0, RENEWED_AT_ONCE).filter((attempt) => held.get(attempt.id) === attempt);
      const claimedAt = performance.now();
      const renewed = await renewClaims(
        store,
        asked.map(({ id }) => id),
      );
      for (const attempt of asked) {
        attempt.claimedAt = claimedAt;
        // Another process has started the Workflow of a row that is gone.
        if (!renewed.has(attempt.id) && waiting.remove(attempt)) letGo(attempt);
      }
    }
  }

  function warn(message: string) {
    return (error: unknown): void => {
      const leftOut = leftOutOf(message);
      if (leftOut !== undefined) logger.warn({ err: error, leftOut }, message);
    };
  }

  return {
    begin,
    ended: (workflowId) => held.get(workflowId)?.over,
    stop: async () => {
      isStopping = true;
      giveUpWaiting(Infinity);
      const abort = setTimeout(() => {
        aborted.abort();
      }, graceMs);
      await settlesWithin(FORCE_MS, Promise.all([...held.values()].map(({ over }) => over)));
      clearTimeout(abort);
      clearInterval(renewals);
      await renewal;
      await toHold.over();
      await toLeave.over();
    },
  };
}

/** Collects ids while those before them are handled, and hands on at most so many at once. */
function createBatches(most: number, handle: (ids: readonly string[]) => Promise<void>) {
  const waiting: string[] = [];
  let running: Promise<void> | undefined;
  async function handleAll(): Promise<void> {
    while (waiting.length > 0) await handle(waiting.splice(0, most));
    running = undefined;
  }
  return {
    add: (id: string): void => {
      waiting.push(id);
      running ??= handleAll();
    },
    over: async (): Promise<void> => running,
  };
}

/** How many attempts have each share, of which the first is their kind. */
function createCounts(max: number, maxForOne: number) {
  const counts = new Map<string, number>();
  const get = (share: string): number => counts.get(share) ?? 0;
  return {
    isFull: (share: string, index: number): boolean => get(share) >= (index === 0 ? max : maxForOne),
    change: (shares: readonly string[], by: 1 | -1): void => {
      for (const share of shares) {
        const count = get(share) + by;
        if (count === 0) counts.delete(share);
        else counts.set(share, count);
      }
    },
  };
}
