// Each server reads the events from the table, because Workers and other servers write them. The position of a listener is an event's ID,
// so it can continue at any server.
import { setTimeout as pause } from 'node:timers/promises';
import { followAbort } from '../lib/timing/follow-abort.ts';
import { pollWhileAwaited } from '../lib/timing/poll-while-awaited.ts';
import type { OnboardingEvent } from '../onboarding/onboarding-events.ts';
import type { Register } from '../store/onboarding/register.ts';

interface EventQuery {
  /** The ID of the last event that the listener has. */
  readonly after: number;
  /** Only the events of this tenant. */
  readonly tenantId: string | undefined;
  /** How long to wait for an event; the page is then empty. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** The events that a listener reads, and the ID after which the next page begins. */
interface EventPage {
  readonly events: readonly OnboardingEvent[];
  readonly position: number;
}

export type EventFeed = ReturnType<typeof createEventFeed>;

const POLL_MS = 1_000;
/** Events kept in memory for listeners that are up to date. */
const RECENT_MAX = 1_000;
/** Events that a listener that is behind reads from the database in one query. */
const PAGE_MAX = 50;

/** Every event after `since` up to `latest`. */
interface Recent {
  readonly since: number;
  readonly latest: number;
  readonly events: readonly OnboardingEvent[];
}

/**
 * The events of the register as they happen, for any number of listeners. Polls the database once a second for all listeners, while
 * one waits. A listener that is behind reads the database itself, a page at a time, as fast as its connection takes them.
 */
export function createEventFeed(register: Pick<Register, 'events' | 'eventRange'>, onError: (error: unknown) => void) {
  let recent: Recent | undefined;
  const waits = new Set<AbortController>();

  async function poll(): Promise<void> {
    const isFirst = recent === undefined;
    const { since, latest, events } = recent ?? (await emptyRecent());
    const added = await register.events({ after: latest, limit: RECENT_MAX });
    const kept = [...events, ...added].slice(-RECENT_MAX);
    const dropped = events.length + added.length - kept.length;
    recent = {
      since: dropped === 0 ? since : (kept[0]?.id ?? 0) - 1,
      latest: added.at(-1)?.id ?? latest,
      events: kept,
    };
    if (added.length > 0 || isFirst) for (const wait of waits) wait.abort();
  }

  async function emptyRecent(): Promise<Recent> {
    const { latest } = await register.eventRange();
    return { since: latest, latest, events: [] };
  }

  const poller = pollWhileAwaited({
    ...{ everyMs: POLL_MS, isAwaited: () => waits.size > 0, poll, onError },
    onRest() {
      recent = undefined;
    },
  });

  /** Resolves when there may be another event, after `waitMs`, and when aborted. */
  async function another({ waitMs, signal }: Pick<EventQuery, 'waitMs' | 'signal'>): Promise<void> {
    const wait = followAbort(signal);
    waits.add(wait);
    poller.start();
    await pause(waitMs, undefined, { signal: wait.signal }).catch(() => undefined);
    waits.delete(wait);
    // Removes the listener from the signal.
    wait.abort();
  }

  function read({ after, tenantId }: EventQuery): Promise<OnboardingEvent[]> {
    return register.events({ after, limit: PAGE_MAX, ...(tenantId === undefined ? {} : { tenantId }) });
  }

  async function pageAfter(query: EventQuery): Promise<EventPage> {
    const { after, tenantId } = query;
    // Before the read, which finds every event up to it.
    const latest = recent?.latest ?? 0;
    if (recent === undefined || after < recent.since) {
      const events = await read(query);
      const last = events.at(-1)?.id ?? after;
      return { events, position: events.length < PAGE_MAX ? Math.max(last, latest) : last };
    }
    const isNew = (event: OnboardingEvent): boolean =>
      event.id > after && (tenantId === undefined || event.tenantId === tenantId);
    return { events: recent.events.filter(isNew), position: Math.max(after, latest) };
  }

  return {
    /** The next events, oldest first. */
    async next(query: EventQuery): Promise<EventPage> {
      const { waitMs, signal } = query;
      const deadline = performance.now() + waitMs;
      for (let position = query.after; ;) {
        const page = await pageAfter({ ...query, after: position });
        const leftMs = deadline - performance.now();
        if (page.events.length > 0 || leftMs <= 0 || signal.aborted) return page;
        ({ position } = page);
        await another({ waitMs: leftMs, signal });
      }
    },
    /** Ends the polling. */
    close: () => void poller.close(),
  };
}
