// The server dates polls, starts and ends by its own clock, from which this machine's may be minutes off. No call returns its time, but
// it dates a poll when it begins: so this process polls a Task Queue that serves nothing else, and asks when it did.
import type { Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { settlesWithin } from '../timing/settles-within.ts';
import { lastPoll } from './last-poll.ts';

export type TimedServices = Pick<Connection, 'workflowService' | 'withDeadline' | 'withAbortSignal'>;

const CLOCK_TASK_QUEUE = 'sendoff/clock';
/** The server refuses a shorter poll than two seconds; this one is ended as soon as its time is known. */
const POLL_MS = 4_000;
const FOUND_WITHIN_MS = 2_000;
const ASK_EVERY_MS = 50;
/** Against that of this process, which runs as fast. */
const KEPT_MS = 5 * 60_000;

/** What to add to `performance.now()`; undefined if the server does not say. */
interface Measured {
  readonly at: number;
  readonly offset: Promise<number | undefined>;
}

/** By the service of a connection, all of whose Namespaces have one clock. */
const measured = new WeakMap<object, Measured>();

/**
 * The time of the server, in milliseconds since the epoch, to about a tenth of a second. That of this machine if the server does not let
 * the caller poll, or does not answer in time; never rejects.
 */
export async function serverTimeMs(
  services: TimedServices,
  namespace: string,
  withinMs = FOUND_WITHIN_MS,
): Promise<number> {
  const { workflowService } = services;
  let last = measured.get(workflowService);
  if (last === undefined || performance.now() - last.at >= KEPT_MS) {
    last = { at: performance.now(), offset: measure(services, namespace) };
    measured.set(workflowService, last);
  }
  if (!(await settlesWithin(withinMs, last.offset))) return Date.now();
  const offset = await last.offset;
  if (offset !== undefined) return performance.now() + offset;
  // The next caller may have more luck.
  measured.delete(workflowService);
  return Date.now();
}

/** Never rejects. */
async function measure(services: TimedServices, namespace: string): Promise<number | undefined> {
  const { workflowService } = services;
  const identity = `sendoff-clock/${randomUUID()}`;
  const ended = new AbortController();
  const begunAt = performance.now();
  const poll = async (): Promise<undefined> => {
    const taskQueue = { name: CLOCK_TASK_QUEUE };
    await services.withAbortSignal(ended.signal, () =>
      workflowService.pollActivityTaskQueue({ namespace, taskQueue, identity }),
    );
  };
  const find = async (): Promise<number | undefined> => {
    const by = (poller: { readonly identity?: string | null }): boolean => poller.identity === identity;
    while (!ended.signal.aborted && performance.now() - begunAt < FOUND_WITHIN_MS) {
      const at = await lastPoll(services, { namespace, taskQueue: CLOCK_TASK_QUEUE, kind: 'activity', by });
      if (at > 0) return at - begunAt;
      await sleep(ASK_EVERY_MS);
    }
    return undefined;
  };
  // The first to ask may have less time than the server takes.
  return services
    .withDeadline(Date.now() + POLL_MS, () => Promise.race([find(), poll()]))
    .catch(() => undefined)
    .finally(() => {
      ended.abort();
    });
}
