import { pollWhileAwaited } from '../timing/poll-while-awaited.ts';
import { areMetricsExported, type Gauge, noteMeasured } from './metrics.ts';

/** Twice in the shortest `for` of an alert. */
const READ_EVERY_MS = 15_000;

export interface Figures {
  /** Sets the gauges. */
  readonly read: () => Promise<void>;
  /** All that it sets. */
  readonly gauges: readonly Pick<Gauge<never>, 'forget'>[];
  /** @default 15 seconds */
  readonly everyMs?: number;
}

/** In seconds; 0 without a time. @param at RFC 3339 */
export const ageOf = (at: string | undefined): number =>
  at === undefined ? 0 : Math.max(0, Date.now() - Date.parse(at)) / 1_000;

/**
 * Sets gauges from the database again and again, and forgets them while it fails. Every process that does so exports the same values, so a
 * query takes their maximum.
 *
 * @returns ends that
 */
export function keepFigures({ read, gauges, everyMs = READ_EVERY_MS }: Figures): () => void {
  const forget = (): void => {
    for (const gauge of gauges) gauge.forget();
  };
  const poller = pollWhileAwaited({
    everyMs,
    isAwaited: areMetricsExported,
    poll: async () => {
      await read();
      noteMeasured('database');
    },
    onError: forget,
  });
  poller.start();
  return () => {
    void poller.close();
    forget();
  };
}
