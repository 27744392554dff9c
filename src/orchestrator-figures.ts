// Gauges of what the orchestrator's database shows. Every process with Workers exports them; a query takes their maximum.
import { Stage } from './onboarding/stage.ts';
import { ageOf, keepFigures } from './lib/metrics/keep-figures.ts';
import { gauge, type Labels } from './lib/metrics/metrics.ts';
import { retentionGauge, showRetention } from './lib/retention/retention-gauge.ts';
import type { OrchestratorParts } from './orchestrator-parts.ts';
import { countRunning, countStuck } from './store/onboarding/running-tenants.ts';
import { createSqlNotificationQueue } from './store/upkeep/notification-queue.ts';

const onboardings = gauge<{ readonly stage: Stage }>('sendoff_onboardings', 'Onboardings that run, by their stage.');
const stuck = gauge<Labels>(
  'sendoff_onboardings_stuck',
  'Onboardings whose Workflow Task fails again and again, as the last sweep found.',
);
const overdue = gauge<Labels>(
  'sendoff_onboardings_overdue',
  'Onboardings whose stage has lasted longer than it may, retries and extensions included.',
);
const oldestNotification = gauge<Labels>(
  'sendoff_notifications_oldest_seconds',
  'Age of the oldest notification that the backend has not accepted yet; 0 without one. Replayed ones do not count.',
);

/** @returns ends that */
export const keepOrchestratorFigures = ({
  config,
  database,
}: Pick<OrchestratorParts, 'config' | 'database'>): (() => void) => {
  const queue = createSqlNotificationQueue(database);
  return keepFigures({
    gauges: [onboardings, stuck, overdue, oldestNotification, retentionGauge],
    read: async () => {
      const running = await countRunning(database, new Date());
      const sum = (of: 'onboardings' | 'overdue', rows = running): number =>
        rows.reduce((all, row) => all + row[of], 0);
      for (const stage of Object.values(Stage)) {
        if (stage === Stage.done) continue;
        onboardings.set(
          sum(
            'onboardings',
            running.filter((row) => row.stage === stage),
          ),
          { stage },
        );
      }
      overdue.set(sum('overdue'), {});
      stuck.set(await countStuck(database), {});
      if (config.notificationReceiver !== undefined) oldestNotification.set(ageOf(await queue.oldestPending()), {});
      await showRetention(database);
    },
  });
};
