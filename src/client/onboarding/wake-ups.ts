// Each server merges on its own: a webhook repeated at another one costs one more Signal, and the Workflow, which knows the event IDs,
// checks once.
import { nextWakeUpAt, type WakeUpPace, paceAfterWakeUp, restingPace } from '../../lib/workflow-waits/wake-up-pace.ts';

/** The content of a verified webhook: enough to wake the Workflow. */
export interface WakeUp {
  readonly eventId: string;
  readonly type: string;
}

export type WakeUps = ReturnType<typeof createWakeUps>;

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Returns a function that stops the Timer. */
  after(delayMs: number, act: () => void): () => void;
}

interface Stream {
  pace: WakeUpPace;
  /** The latest wake-up since the last Signal; one Signal stands for all of them. */
  pending?: WakeUp;
  /** In flight. */
  sending?: WakeUp;
  stopTimer?: () => void;
}

/** Far more than are onboarding at once. A tenant that is dropped starts again at the resting pace. */
const TENANTS_MAX = 10_000;
/** Webhooks remembered, of all tenants. One repeated after that many others costs one more Signal. */
const EVENTS_MAX = 50_000;

/**
 * Merges webhooks into Signals, because each Signal costs history events: a tenant's first wake-up is sent at once,
 * those that follow become one Signal per interval. A merged wake-up is accepted before it is sent: if this process
 * dies first, polling finds the same a little later.
 */
export function createWakeUps(
  signal: (tenantId: string, wakeUp: WakeUp) => Promise<boolean>,
  clock: Clock = systemClock,
) {
  /** Ordered by last wake-up, oldest first. */
  const streams = new Map<string, Stream>();
  /** The answer to each recent webhook: a repetition gets the same one. */
  const answers = new Map<string, Promise<boolean>>();
  const mergedSends = new Set<Promise<unknown>>();
  let isClosed = false;

  function streamOf(tenantId: string): Stream {
    const stream = streams.get(tenantId) ?? { pace: restingPace };
    streams.delete(tenantId);
    streams.set(tenantId, stream);
    const [oldest] = streams.keys();
    if (streams.size > TENANTS_MAX && oldest !== undefined) drop(oldest);
    return stream;
  }

  function drop(tenantId: string): void {
    streams.get(tenantId)?.stopTimer?.();
    streams.delete(tenantId);
  }

  async function accept(tenantId: string, wakeUp: WakeUp): Promise<boolean> {
    const stream = streamOf(tenantId);
    const isIdle = stream.sending === undefined && stream.pending === undefined;
    if (isIdle && clock.now() >= nextWakeUpAt(stream.pace)) return send(tenantId, stream, wakeUp);
    stream.pending = wakeUp;
    schedule(tenantId, stream);
    return true;
  }

  async function send(tenantId: string, stream: Stream, wakeUp: WakeUp): Promise<boolean> {
    const sentAt = clock.now();
    stream.sending = wakeUp;
    try {
      const isTaken = await signal(tenantId, wakeUp);
      stream.pace = paceAfterWakeUp(stream.pace, sentAt);
      if (stream.pending === wakeUp) delete stream.pending;
      if (!isTaken) drop(tenantId);
      return isTaken;
    } catch (error) {
      // Wait the current interval before retrying; do not lengthen it, because a failed send is not a burst of webhooks.
      if (stream.pending !== undefined) stream.pace = { ...stream.pace, lastAt: sentAt };
      throw error;
    } finally {
      delete stream.sending;
      schedule(tenantId, stream);
    }
  }

  /** Sends the pending wake-up when its interval ends, again and again until Temporal has taken it. */
  function schedule(tenantId: string, stream: Stream): void {
    const isIdle = stream.sending === undefined && stream.stopTimer === undefined;
    if (isClosed || !isIdle || stream.pending === undefined || streams.get(tenantId) !== stream) return;
    stream.stopTimer = clock.after(Math.max(nextWakeUpAt(stream.pace) - clock.now(), 0), () => {
      delete stream.stopTimer;
      if (stream.pending === undefined) return;
      const sent = send(tenantId, stream, stream.pending)
        .catch(() => false)
        .finally(() => mergedSends.delete(sent));
      mergedSends.add(sent);
    });
  }

  return {
    /** False when the onboarding has ended or never existed. Throws when the Signal could not be sent. */
    receive(tenantId: string, wakeUp: WakeUp): Promise<boolean> {
      // Tenant ids contain no space.
      const key = `${tenantId} ${wakeUp.eventId}`;
      const known = answers.get(key);
      if (known !== undefined) return known;
      const answer = accept(tenantId, wakeUp);
      answers.set(key, answer);
      const [oldest] = answers.keys();
      if (answers.size > EVENTS_MAX && oldest !== undefined) answers.delete(oldest);
      // Forget the answer to a failed webhook, so that the provider's retry is processed.
      void answer.catch(() => false).then((isTaken) => isTaken || answers.delete(key));
      return answer;
    },

    /** Sends every pending wake-up once, and resolves when no merged Signal is in flight. */
    async close(): Promise<void> {
      isClosed = true;
      const sends = [...streams].flatMap(([tenantId, { pending, sending, stopTimer }]) => {
        stopTimer?.();
        return pending === undefined || pending === sending ? [] : [signal(tenantId, pending)];
      });
      await Promise.allSettled([...mergedSends, ...sends]);
    },
  };
}

const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};
