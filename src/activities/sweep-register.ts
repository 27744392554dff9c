import { activityInfo, heartbeat } from '@temporalio/activity';
import { counted } from '../lib/counted.ts';
import { notYet } from '../lib/temporal/not-yet.ts';
import type { ApiKeyClaims } from '../store/api-key-claims.ts';
import type { RecordEnd, Register, StoredRecord } from '../store/register.ts';

/** The longest that a notification waits whose Workflow a crash prevented from starting. */
const SWEEP_INTERVAL_MS = 10_000;
/** A sweep takes at most a few seconds; the next one continues where it ended. */
const TENANTS_PER_SWEEP = 100;

interface Page {
  readonly after: string;
  readonly limit: number;
}

export interface SweepDependencies {
  readonly register: Pick<Register, 'get' | 'end'>;
  readonly claims: Pick<ApiKeyClaims, 'eraseReplayable'>;
  readonly runningTenants: (page: Page) => Promise<string[]>;
  /** Tenants whose execution was terminated or timed out in the last minutes: some of them. */
  readonly recentlyTerminated: (limit: number) => Promise<string[]>;
  /** The end of a recorded onboarding whose execution has ended or was deleted; undefined while it runs. */
  readonly endOf: (record: StoredRecord) => Promise<RecordEnd | undefined>;
  /** Undefined if the backend is not notified. */
  readonly notifications:
    | { readonly tenants: (page: Page) => Promise<string[]>; readonly resume: (tenantId: string) => Promise<void> }
    | undefined;
}

/** The last tenants that were looked at; heartbeat details pass from attempt to attempt. */
interface Position {
  readonly notified: string;
  readonly running: string;
}

export function sweepActivities({
  register,
  claims,
  runningTenants,
  recentlyTerminated,
  endOf,
  notifications,
}: SweepDependencies) {
  /** Starts the Workflow of each tenant with a pending notification; one that runs is not disturbed. */
  async function resumeNotifications(after: string): Promise<string[]> {
    const tenants = (await notifications?.tenants({ after, limit: TENANTS_PER_SWEEP })) ?? [];
    for (const tenantId of tenants) await notifications?.resume(tenantId);
    return tenants;
  }

  /** @returns whether an end was recorded */
  async function recordEnd(tenantId: string): Promise<boolean> {
    const record = await register.get(tenantId);
    if (record?.outcome !== 'running') return false;
    const end = await endOf(record);
    return end !== undefined && (await register.end(end)).kind === 'current';
  }

  return {
    /** Never succeeds: Temporal's retry is the sweep's clock. */
    async sweepRegister(): Promise<never> {
      const position = (activityInfo().heartbeatDetails ?? { notified: '', running: '' }) as Position;
      await claims.eraseReplayable();
      const notified = await resumeNotifications(position.notified);
      const running = await runningTenants({ after: position.running, limit: TENANTS_PER_SWEEP });
      let ends = 0;
      for (const tenantId of new Set([...(await recentlyTerminated(TENANTS_PER_SWEEP)), ...running])) {
        if (await recordEnd(tenantId)) ends += 1;
      }
      heartbeat({ notified: nextPosition(notified), running: nextPosition(running) } satisfies Position);
      throw notYet(
        'RegisterSwept',
        `Found ${counted(notified.length, 'tenant')} with pending notifications; recorded ${counted(ends, 'end')} of onboardings.`,
        SWEEP_INTERVAL_MS,
      );
    },
  };
}

/** After the last page, the first one again. */
const nextPosition = (page: readonly string[]): string => (page.length < TENANTS_PER_SWEEP ? '' : (page.at(-1) ?? ''));
