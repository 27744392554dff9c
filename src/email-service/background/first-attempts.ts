import { ApplicationFailure } from '@temporalio/common';
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Attempts } from '../activities/index.ts';
import type { AttemptRun } from '../activities/attempt-run.ts';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { settlesWithin } from '../../lib/settles-within.ts';
import { type FirstAttempt, releaseStarts, renewClaims } from '../store/outbox.ts';
import type { Store } from '../store/open-store.ts';

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

/** For one account half of the attempts that it may have under way, so that its retries go on. */
const LIMITS: FirstAttemptLimits = { running: 100, runningForOne: 10, held: 1_000, heldForOne: 500, waitMs: 30_000 };
/** As the Workers: time for a session to receive its reply, then it is aborted, then the process ends without it. */
const GRACE_MS = 10_000;
const FORCE_MS = 20_000;
/** Several within a claim of ten seconds. */
const RENEW_INTERVAL_MS = 2_000;

interface Held extends FirstAttempt {
  readonly heldSince: number;
  readonly over: Promise<void>;
  readonly end: () => void;
}

export function createFirstAttempts(options: FirstAttemptsOptions): FirstAttempts {
  const { store, attempts, dispatcher, logger, limits = LIMITS, graceMs = GRACE_MS } = options;
  const waiting = new Map<string, Held>();
  const running = new Map<string, Held>();
  const heldFor = createCounts();
  const runningFor = createCounts();
  const aborted = new AbortController();
  // Each attempt has one.
  setMaxListeners(0, aborted.signal);
  const leftOutOf = createRepetitionFilter();
  let stopping = false;
  let renewal: NodeJS.Timeout | undefined;
  let toRelease: string[] = [];
  let releasing: Promise<void> | undefined;

  const run: AttemptRun = {
    heartbeat: () => undefined,
    cancelled: aborted.signal,
    isShuttingDown: () => aborted.signal.aborted,
    dueAtMs: 0,
    waitedMs: 0,
  };

  function begin(attempt: FirstAttempt): void {
    const { workflowId } = attempt.start;
    if (stopping || heldFor.isFull(attempt, limits.held, limits.heldForOne)) {
      leaveToWorkflow(workflowId);
      return;
    }
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    waiting.set(workflowId, { ...attempt, heldSince: performance.now(), over, end });
    heldFor.add(attempt);
    renewal ??= setInterval(tick, RENEW_INTERVAL_MS);
    runWaiting();
  }

  /** The oldest first, except for those whose kind, account or destination has its limit under way. */
  function runWaiting(): void {
    for (const held of waiting.values()) {
      if (runningFor.isFull(held, limits.running, limits.runningForOne)) continue;
      waiting.delete(held.start.workflowId);
      void attemptOnce(held);
    }
  }

  async function attemptOnce(held: Held): Promise<void> {
    const { workflowType, workflowId, input } = held.start;
    running.set(workflowId, held);
    runningFor.add(held);
    try {
      await attempts[workflowType](input as never, run);
    } catch (error) {
      if (!(error instanceof ApplicationFailure))
        logger.error({ err: error, workflowType, workflowId }, 'unexpected error; its Workflow tries again');
      leaveToWorkflow(workflowId);
    } finally {
      running.delete(workflowId);
      runningFor.remove(held);
      letGo(held);
      runWaiting();
    }
  }

  function letGo(held: Held): void {
    heldFor.remove(held);
    held.end();
    if (waiting.size + running.size > 0) return;
    clearInterval(renewal);
    renewal = undefined;
  }

  function tick(): void {
    const oldest = performance.now() - limits.waitMs;
    for (const held of waiting.values()) if (held.heldSince <= oldest) giveUp(held);
    renew().catch((error: unknown) => {
      // The Workflow that starts after the end of a claim waits for the attempt.
      const leftOut = leftOutOf('renew');
      if (leftOut !== undefined) logger.warn({ err: error, leftOut }, 'cannot renew the claims of outbox rows');
    });
  }

  async function renew(): Promise<void> {
    const asked = [...waiting.values()];
    const renewed = await renewClaims(store, [...waiting.keys(), ...running.keys()]);
    // Another process has started the Workflow of a row that is gone.
    for (const held of asked) {
      const { workflowId } = held.start;
      if (renewed.has(workflowId) || !waiting.delete(workflowId)) continue;
      letGo(held);
    }
  }

  function giveUp(held: Held): void {
    waiting.delete(held.start.workflowId);
    leaveToWorkflow(held.start.workflowId);
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
      for (const held of waiting.values()) giveUp(held);
      const abort = setTimeout(() => {
        aborted.abort();
      }, graceMs);
      const allEnded = Promise.all([...running.values()].map(({ over }) => over));
      await settlesWithin(FORCE_MS, allEnded);
      clearTimeout(abort);
      clearInterval(renewal);
      await releasing;
    },
  };
}

/** How many attempts there are of each kind, and of each kind for one account and for one destination. */
function createCounts() {
  const counts = new Map<string, number>();
  const forOne = ({ start: { workflowType }, accountId, destination }: FirstAttempt): readonly string[] => [
    `${workflowType} account ${accountId}`,
    `${workflowType} destination ${destination}`,
  ];
  const change = (attempt: FirstAttempt, by: number): void => {
    for (const name of [attempt.start.workflowType, ...forOne(attempt)]) {
      const count = (counts.get(name) ?? 0) + by;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    }
  };
  return {
    isFull: (attempt: FirstAttempt, max: number, maxForOne: number): boolean =>
      (counts.get(attempt.start.workflowType) ?? 0) >= max ||
      forOne(attempt).some((name) => (counts.get(name) ?? 0) >= maxForOne),
    add: (attempt: FirstAttempt): void => {
      change(attempt, 1);
    },
    remove: (attempt: FirstAttempt): void => {
      change(attempt, -1);
    },
  };
}
