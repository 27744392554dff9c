// Gauges of what the email service's database shows. Every process with Workers exports them; a query takes their maximum.
import { ageOf, keepFigures } from '../../lib/metrics/keep-figures.ts';
import { gauge, type Labels } from '../../lib/metrics/metrics.ts';
import { retentionGauge, showRetention } from '../../lib/retention/retention-gauge.ts';
import type { Store } from '../store/open-store.ts';
import { BY_BOUNCE_RATE } from '../resources/account.ts';
import { countPaused } from '../store/account-pauses.ts';
import { outboxSize } from '../store/outbox.ts';
import { countKeptByLimits } from '../store/scheduled-emails.ts';

const outboxRows = gauge<{ readonly state: 'waiting' | 'kept_by_limits' }>(
  'sendoff_outbox_rows',
  'First attempts and Workflow starts that wait, and scheduled emails that the limits of their accounts keep after their time; at most 100000 each.',
);
const outboxOldest = gauge<Labels>(
  'sendoff_outbox_oldest_seconds',
  'Age of the oldest first attempt or Workflow start that waits; 0 without one.',
);

const accountsPaused = gauge<{ readonly by: typeof BY_BOUNCE_RATE | 'operator' }>(
  'sendoff_accounts_paused',
  'Accounts that send nothing, because too many of their emails bounced or because an operator has paused them.',
);

/** @returns ends that */
export const keepEmailServiceFigures = (store: Store): (() => void) =>
  keepFigures({
    gauges: [outboxRows, outboxOldest, accountsPaused, retentionGauge],
    read: async () => {
      const { rows, oldestAt } = await outboxSize(store);
      outboxRows.set(rows, { state: 'waiting' });
      outboxRows.set(await countKeptByLimits(store, new Date()), { state: 'kept_by_limits' });
      outboxOldest.set(ageOf(oldestAt), {});
      const { byBounceRate, byOperator } = await countPaused(store);
      accountsPaused.set(byBounceRate, { by: BY_BOUNCE_RATE });
      accountsPaused.set(byOperator, { by: 'operator' });
      await showRetention(store);
    },
  });
