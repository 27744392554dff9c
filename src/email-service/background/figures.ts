// Gauges of what the email service's database shows. Every process with Workers exports them; a query takes their maximum.
import { keepFigures } from '../../lib/metrics/keep-figures.ts';
import { gauge, type Labels } from '../../lib/metrics/metrics.ts';
import { retentionGauge } from '../../lib/metrics/retention-gauge.ts';
import { lastRetention } from '../../lib/retention/last-retention.ts';
import type { Store } from '../store/open-store.ts';
import { outboxSize } from '../store/outbox.ts';

const outboxRows = gauge<Labels>(
  'sendoff_outbox_rows',
  'First attempts and Workflow starts that wait; at most 100000.',
);
const outboxOldest = gauge<Labels>('sendoff_outbox_oldest_seconds', 'Age of the oldest of them; 0 without one.');

/** @returns ends that */
export const keepEmailServiceFigures = (store: Store): (() => void) =>
  keepFigures({
    gauges: [outboxRows, outboxOldest, retentionGauge],
    read: async () => {
      const { rows, oldestAt } = await outboxSize(store);
      outboxRows.set(rows, {});
      outboxOldest.set(oldestAt === undefined ? 0 : Math.max(0, Date.now() - Date.parse(oldestAt)) / 1_000, {});
      const retained = await lastRetention(store);
      if (retained !== undefined) retentionGauge.set(retained.getTime() / 1_000, {});
    },
  });
