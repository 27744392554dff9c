import { type HintPace, nextHintAt, paceAfterHint, restingPace } from '../lib/waiting/notification-pace.ts';

/** What a verified webhook tells: enough to poke with. */
export interface Hint {
  readonly eventId: string;
  readonly type: string;
}

/** `handOn`: send it now; `merged`: one Signal will stand for it and others, at `dueAt`; `known`: it came before. */
export type Arrival =
  | { readonly kind: 'handOn' | 'known' }
  | {
      readonly kind: 'merged';
      /** Milliseconds since the epoch. */
      readonly dueAt: number;
    };

/** What is known of one tenant's hints. */
interface Stream {
  pace: HintPace;
  /** The pace to go back to when the Signal under way does not arrive. */
  paceBefore: HintPace;
  /** Stands for every hint that came since the last Signal. */
  waiting?: Hint;
}

/** Far more than are in an onboarding at once. Those forgotten have the pace of a tenant that was never heard of. */
const TENANTS_MAX = 10_000;
/** Of all tenants together. A webhook that comes again after that many others is one Signal more, no harm. */
const EVENTS_MAX = 50_000;

/**
 * Decides which webhooks become Signals, since each Signal is a history event: the first at once, those that follow
 * close together as one at the end of an interval, which grows while a storm lasts. All times are passed in,
 * milliseconds since the epoch. It lives in one process's memory: what a crash loses is found by polling all the same.
 */
export class HintMerger {
  /** Longest unheard of first. */
  readonly #streams = new Map<string, Stream>();
  /** `tenantId eventId`, oldest first. */
  readonly #events = new Set<string>();

  /** After `handOn` the caller tells `refused` or `forget` when the Signal does not arrive. */
  arrive(tenantId: string, hint: Hint, now: number): Arrival {
    const event = eventKey(tenantId, hint);
    if (this.#events.has(event)) return { kind: 'known' };
    this.#events.add(event);
    dropOldest(this.#events, EVENTS_MAX);
    const stream = this.#streams.get(tenantId) ?? { pace: restingPace, paceBefore: restingPace };
    this.#streams.delete(tenantId);
    this.#streams.set(tenantId, stream);
    dropOldest(this.#streams, TENANTS_MAX);
    if (stream.waiting === undefined && now >= nextHintAt(stream.pace)) {
      take(stream, now);
      return { kind: 'handOn' };
    }
    stream.waiting = hint;
    return { kind: 'merged', dueAt: nextHintAt(stream.pace) };
  }

  /** Undefined when nothing waits. */
  nextDueAt(): number | undefined {
    let next: number | undefined;
    for (const { pace, waiting } of this.#streams.values()) {
      if (waiting !== undefined) next = Math.min(next ?? Number.POSITIVE_INFINITY, nextHintAt(pace));
    }
    return next;
  }

  /** Takes out the hints whose time has come; with `everything` also those whose time has not. */
  takeDue(now: number, everything = false): { tenantId: string; hint: Hint }[] {
    const due: { tenantId: string; hint: Hint }[] = [];
    for (const [tenantId, stream] of this.#streams) {
      const { waiting } = stream;
      if (waiting === undefined || (!everything && now < nextHintAt(stream.pace))) continue;
      delete stream.waiting;
      take(stream, now);
      due.push({ tenantId, hint: waiting });
    }
    return due;
  }

  /** The Signal of a webhook that got `handOn` did not arrive: its sender is told so, and may come again at once. */
  refused(tenantId: string, hint: Hint): void {
    this.#events.delete(eventKey(tenantId, hint));
    const stream = this.#streams.get(tenantId);
    if (stream !== undefined) stream.pace = stream.paceBefore;
  }

  /** A merged Signal did not arrive. Its senders were told it was taken, so it waits for another interval. */
  keepWaiting(tenantId: string, hint: Hint): void {
    const stream = this.#streams.get(tenantId);
    if (stream === undefined) return;
    stream.waiting ??= hint;
    // The distance is kept, but an outage is no storm.
    stream.pace = { ...stream.paceBefore, lastAt: stream.pace.lastAt };
  }

  /** The onboarding is over: nothing of this tenant's is worth a Signal, and its next webhook is told so. */
  forget(tenantId: string): void {
    this.#streams.delete(tenantId);
  }
}

function take(stream: Stream, now: number): void {
  stream.paceBefore = stream.pace;
  stream.pace = paceAfterHint(stream.pace, now);
}

// Tenant ids have no space.
const eventKey = (tenantId: string, { eventId }: Hint): string => `${tenantId} ${eventId}`;

function dropOldest<Key>(collection: Map<Key, unknown> | Set<Key>, sizeMax: number): void {
  if (collection.size <= sizeMax) return;
  const oldest = collection.keys().next();
  if (oldest.done !== true) collection.delete(oldest.value);
}
