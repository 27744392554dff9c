// A row per domain holds when its next check is due, so no Workflow waits for a domain: one Schedule starts this sweep, and skips a start
// while one is under way.
import { ActivityCancellationType, ActivityFailure, log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { continueAsNew } from '../../lib/workflow-waits/continue-as-new.ts';
import type { WatchActivities, WatchResult } from '../../activities/upkeep/watch-domain.ts';
import type { WatchPosition } from '../../store/upkeep/watched-domains.ts';
import { recordOptions } from '../activity-options.ts';
import { watchTaskQueue } from '../messages.ts';
import { wasCancelled } from '../was-cancelled.ts';

/** How many checks of a sweep had each result; `failed`: not completed, so the next sweep repeats them. */
export type WatchReport = Readonly<Record<WatchResult | 'failed', number>>;

/** Set only by Continue-As-New. */
export interface WatchProgress {
  /** RFC 3339 UTC: rows that fall due later belong to the next sweep. */
  readonly dueBy: string;
  readonly after: WatchPosition | null;
  readonly report: WatchReport;
}

const PAGE_DOMAINS = 100;
/** A check costs at most six events; Temporal suggests Continue-As-New at 4,096. */
const RUN_DOMAINS_MAX = 500;
/** A check of silent name servers takes half a minute: ten of them do not stop the sweep. */
const AT_ONCE = 10;

const database = proxyActivities<Pick<WatchActivities, 'dueDomains'>>(recordOptions);
const checks = proxyActivities<WatchActivities>({
  // The name servers may take half a minute, and the provider twenty seconds.
  startToCloseTimeout: '60 seconds',
  // For a Worker that died and for a database that was locked: an unavailable provider is a result of the check.
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumAttempts: 3 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** Checks every verified domain that is due. A check that fails stops no other one. */
export async function watchDomains(progress?: WatchProgress): Promise<WatchReport> {
  const dueBy = progress?.dueBy ?? new Date().toISOString();
  const report = { ...(progress?.report ?? noChecks) };
  const taskQueue = watchTaskQueue(workflowInfo().taskQueue);
  let after = progress?.after ?? null;
  for (let checked = 0; checked < RUN_DOMAINS_MAX && !workflowInfo().continueAsNewSuggested; checked += PAGE_DOMAINS) {
    const page = await database.dueDomains.executeWithOptions({ summary: 'Domains that are due', taskQueue }, [
      { dueBy, after, limit: PAGE_DOMAINS },
    ]);
    await checkAll(page, ({ tenantId }) => check({ tenantId, dueBy }, taskQueue), report);
    after = page.at(-1) ?? after;
    if (page.length < PAGE_DOMAINS) return report;
  }
  return continueAsNew<typeof watchDomains>({ dueBy, after, report });
}

const noChecks: WatchReport = {
  ...{ intact: 0, suspected: 0, drifted: 0, recovered: 0, gone: 0 },
  ...{ inconclusive: 0, skipped: 0, failed: 0 },
};

async function checkAll(
  page: readonly WatchPosition[],
  check: (domain: WatchPosition) => Promise<keyof WatchReport>,
  report: Record<keyof WatchReport, number>,
): Promise<void> {
  const queue = [...page];
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const result = await check(next);
      report[result] += 1;
    }
  });
  await Promise.all(lanes);
}

async function check(input: { tenantId: string; dueBy: string }, taskQueue: string): Promise<keyof WatchReport> {
  const summary = `Check the domain of ${input.tenantId}`;
  try {
    return (await checks.checkWatchedDomain.executeWithOptions({ summary, taskQueue }, [input])).result;
  } catch (error) {
    if (wasCancelled(error) || !(error instanceof ActivityFailure)) throw error;
    log.warn('the check of a verified domain failed', { tenantId: input.tenantId });
    return 'failed';
  }
}
