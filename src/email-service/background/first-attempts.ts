// Most first attempts succeed at once, and a Workflow costs more than they do. An attempt that fails writes into its row when the next
// one is due, and the Workflow starts with that delay. After a kill or the loss of the database the claim ends and the Workflow starts; a
// start during an attempt is harmless, because an email's attempt has a lease and a receiver of webhooks must accept repetitions.
import { ApplicationFailure } from '@temporalio/common';
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Attempts } from '../activities/index.ts';
import type { AttemptRun } from '../activities/attempt-run.ts';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { settlesWithin } from '../../lib/settles-within.ts';
import { type FirstAttempt, releaseStarts, renewClaims, type WorkflowToStart } from '../store/outbox.ts';
import type { Store } from '../store/open-store.ts';
import { createWaitingLine, type Waiting } from './waiting-line.ts';

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
  readonly attempts: { readonly [Type in keyof Attempts]: (input: never, run: AttemptRun) => Promise<unknown> };
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
/** A larger query would hold up requests for tens of milliseconds. */
const RENEWED_AT_ONCE = 500;

interface Held extends Waiting {
  readonly start: WorkflowToStart;
  readonly heldSince: number;
  claimedAt: number;
  readonly over: Promise<void>;
  readonly end: () => void;
}

export function createFirstAttempts(options: FirstAttemptsOptions): FirstAttempts {
  const { store, attempts, dispatcher, logger, limits = LIMITS, graceMs = GRACE_MS } = options;
  const waiting = createWaitingLine<Held>();
  const running = new Map<string, Held>();
  const heldFor = createCounts(limits.held, limits.heldForOne);
  const runningFor = createCounts(limits.running, limits.runningForOne);
  const aborted = new AbortController();
  // Each attempt has one.
  setMaxListeners(0, aborted.signal);
  const leftOutOf = createRepetitionFilter();
  let stopping = false;
  let renewal: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | undefined;
  let toRelease: string[] = [];
  let releasing: Promise<void> | undefined;

  const run: AttemptRun = {
    heartbeat: () => undefined,
    cancelled: aborted.signal,
    isShuttingDown: () => aborted.signal.aborted,
    dueAtMs: 0,
    waitedMs: 0,
  };

  function begin({ start, accountId, destination }: FirstAttempt): void {
    const { workflowId: id, workflowType: kind } = start;
    const shares = [kind, `${kind} account ${accountId}`, `${kind} destination ${destination}`];
    if (stopping || shares.some(heldFor.isFull)) {
      leaveToWorkflow(id);
      return;
    }
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const heldSince = performance.now();
    waiting.add({ id, shares, start, heldSince, claimedAt: heldSince, over, end });
    heldFor.add(shares);
    renewal ??= setInterval(tick, RENEW_INTERVAL_MS);
    runWaiting();
  }

  function runWaiting(): void {
    const next = (): Held | undefined => waiting.next(runningFor.isFull);
    for (let held = next(); held !== undefined; held = next()) void attemptOnce(held);
  }

  async function attemptOnce(held: Held): Promise<void> {
    const { workflowType, workflowId, input } = held.start;
    running.set(workflowId, held);
    runningFor.add(held.shares);
    try {
      await attempts[workflowType](input as never, run);
    } catch (error) {
      if (!(error instanceof ApplicationFailure))
        logger.error({ err: error, workflowType, workflowId }, 'unexpected error; its Workflow tries again');
      leaveToWorkflow(workflowId);
    } finally {
      running.delete(workflowId);
      runningFor.remove(held.shares);
      letGo(held);
      runWaiting();
    }
  }

  function letGo(held: Held): void {
    heldFor.remove(held.shares);
    held.end();
    if (waiting.size + running.size > 0) return;
    clearInterval(renewal);
    renewal = undefined;
  }

  function tick(): void {
    const oldest = performance.now() - limits.waitMs;
    for (const held of waiting.all()) {
      if (held.heldSince > oldest) break;
      giveUp(held);
    }
    renewing ??= renew()
      .catch((error: unknown) => {
        // The Workflow that starts after the end of a claim waits for the attempt.
        const leftOut = leftOutOf('renew');
        if (leftOut !== undefined) logger.warn({ err: error, leftOut }, 'cannot renew the claims of outbox rows');
      })
      .finally(() => {
        renewing = undefined;
      });
  }

  async function renew(): Promise<void> {
    const due = performance.now() - RENEW_AFTER_MS;
    const isHeld = (held: Held): boolean => waiting.get(held.id) === held || running.get(held.id) === held;
    const old = [...running.values(), ...waiting.all()].filter(({ claimedAt }) => claimedAt <= due);
    while (old.length > 0) {
      const asked = old.splice(0, RENEWED_AT_ONCE).filter(isHeld);
      const claimedAt = performance.now();
      const ids = asked.map(({ id }) => id);
      const renewed = await renewClaims(store, ids);
      for (const held of asked) {
        held.claimedAt = claimedAt;
        // Another process has started the Workflow of a row that is gone.
        if (!renewed.has(held.id) && waiting.remove(held)) letGo(held);
      }
    }
  }

  function giveUp(held: Held): void {
    waiting.remove(held);
    leaveToWorkflow(held.id);
    letGo(held);
  }

  /** One query releases all that came up during the previous one. */
  function leaveToWorkflow(workflowId: string): void {
    toRelease.push(workflowId);
    releasing ??= release();
  }

  async function release(): Promise<void> {
    while (toRelease.length > 0) {
      const released = toRelease;
      toRelease = [];
      try {
        await releaseStarts(store, released);
      } catch (error) {
        // Their claims end without it, and the sweep starts them.
        const leftOut = leftOutOf('release');
        if (leftOut !== undefined) logger.warn({ err: error, leftOut }, 'cannot release claims of outbox rows');
      }
    }
    releasing = undefined;
    dispatcher.dispatchSoon();
  }

  return {
    begin,
    ended: (workflowId) => (waiting.get(workflowId) ?? running.get(workflowId))?.over,
    stop: async () => {
      stopping = true;
      for (const held of waiting.all()) giveUp(held);
      const abort = setTimeout(() => {
        aborted.abort();
      }, graceMs);
      const allEnded = Promise.all([...running.values()].map(({ over }) => over));
      await settlesWithin(FORCE_MS, allEnded);
      clearTimeout(abort);
      clearInterval(renewal);
      await renewing;
      await releasing;
    },
  };
}

/** How many attempts have each share, of which the first is their kind. */
function createCounts(max: number, maxForOne: number) {
  const counts = new Map<string, number>();
  const get = (share: string): number => counts.get(share) ?? 0;
  const change = (shares: readonly string[], by: number): void => {
    for (const share of shares) {
      const count = get(share) + by;
      if (count === 0) counts.delete(share);
      else counts.set(share, count);
    }
  };
  return {
    isFull: (share: string, index: number): boolean => get(share) >= (index === 0 ? max : maxForOne),
    add: (shares: readonly string[]): void => {
      change(shares, 1);
    },
    remove: (shares: readonly string[]): void => {
      change(shares, -1);
    },
  };
}
