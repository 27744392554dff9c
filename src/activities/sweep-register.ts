import { activityInfo, cancellationSignal, heartbeat, log } from '@temporalio/activity';
import { counted } from '../lib/counted.ts';
import { createRepetitionFilter } from '../lib/repetition-filter.ts';
import { notYet } from '../lib/temporal/not-yet.ts';
import type { ApiKeyClaims } from '../store/api-key-claims.ts';
import type { RecordEnd, Register, StoredRecord } from '../store/register.ts';
import { withoutSecrets } from './failure-interceptor.ts';

/** The longest that a notification waits whose Workflow a crash prevented from starting. */
const SWEEP_INTERVAL_MS = 10_000;
/** A sweep takes at most a few seconds; the next one continues where it ended. */
const TENANTS_PER_SWEEP = 100;
/** A slow part leaves time to the others: a sweep is cut off after a minute. */
const PART_MS_MAX = 10_000;

interface Page {
  readonly after: string;
  readonly limit: number;
}

export interface SweepDependencies {
  readonly register: Pick<Register, 'get' | 'end'>;
  readonly claims: Pick<ApiKeyClaims, 'eraseReplayable'>;
  readonly runningTenants: (page: Page) => Promise<string[]>;
  /** Those of the tenants whose execution runs, as far as visibility knows: one call, where `endOf` is one for each tenant. */
  readonly listedAsRunning: (tenantIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Tenants whose execution was terminated or timed out in the last minutes: some of them. */
  readonly recentlyTerminated: (limit: number) => Promise<string[]>;
  /** The end of a recorded onboarding whose execution has ended or was deleted; undefined while it runs. */
  readonly endOf: (record: StoredRecord) => Promise<RecordEnd | undefined>;
  /** Undefined if the backend is not notified. */
  readonly notifications:
    | { readonly tenants: (page: Page) => Promise<string[]>; readonly resume: (tenantId: string) => Promise<void> }
    | undefined;
  /** Milliseconds since any fixed moment. @default a monotonic clock */
  readonly now?: () => number;
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
  listedAsRunning,
  recentlyTerminated,
  endOf,
  notifications,
  now = () => performance.now(),
}: SweepDependencies) {
  const leftOutOf = createRepetitionFilter();
  /** A call that fails must not stop the other ones. @returns undefined if it failed */
  async function attempt<T>(what: string, call: () => Promise<T>, tenantId?: string): Promise<T | undefined> {
    try {
      return await call();
    } catch (thrown) {
      const error = withoutSecrets(thrown instanceof Error ? thrown.message : String(thrown));
      const leftOut = leftOutOf(`${what} ${error}`);
      if (leftOut !== undefined) log.warn(`the sweep cannot ${what}; it tries again`, { tenantId, error, leftOut });
      return undefined;
    }
  }

  /**
   * Makes a call for each tenant in turn, as long as the part may last.
   *
   * @param finished called after each tenant, whether its call failed or not
   * @returns whether no tenant is left
   */
  async function inTurn(
    tenants: Iterable<string>,
    [what, call]: readonly [what: string, call: (tenantId: string) => Promise<void>],
    finished: (tenantId: string) => void = () => undefined,
  ): Promise<boolean> {
    const until = now() + PART_MS_MAX;
    for (const tenantId of tenants) {
      if (now() >= until || cancellationSignal().aborted) return false;
      await attempt(what, () => call(tenantId), tenantId);
      finished(tenantId);
    }
    return true;
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
      let position = (activityInfo().heartbeatDetails ?? { notified: '', running: '' }) as Position;
      const moveTo = (part: Partial<Position>): void => {
        position = { ...position, ...part };
        heartbeat(position);
      };
      let ends = 0;
      const end = [
        'record the end of an onboarding',
        async (tenantId: string) => {
          if (await recordEnd(tenantId)) ends += 1;
        },
      ] as const;

      await attempt('erase the tokens of claims', () => claims.eraseReplayable());

      const notified = await attempt('list pending notifications', async () =>
        notifications?.tenants({ after: position.notified, limit: TENANTS_PER_SWEEP }),
      );
      if (notifications !== undefined && notified !== undefined) {
        // A Workflow that runs is not disturbed.
        const resume = ['resume the notifications of a tenant', notifications.resume] as const;
        const isDone = await inTurn(notified, resume, (tenantId) => {
          moveTo({ notified: tenantId });
        });
        if (isDone) moveTo({ notified: nextPosition(notified) });
      }

      const running = await attempt('list running onboardings', () =>
        runningTenants({ after: position.running, limit: TENANTS_PER_SWEEP }),
      );
      const listed = await attempt('list running executions', async () => listedAsRunning(running ?? []));
      if (running !== undefined && listed !== undefined) {
        const unlisted = running.filter((tenantId) => !listed.has(tenantId));
        const isDone = await inTurn(unlisted, end, (tenantId) => {
          moveTo({ running: tenantId });
        });
        if (isDone) moveTo({ running: nextPosition(running) });
      }

      const closed = await attempt('list terminated onboardings', () => recentlyTerminated(TENANTS_PER_SWEEP));
      await inTurn(new Set(closed), end);

      throw notYet(
        'RegisterSwept',
        `Found ${counted(notified?.length ?? 0, 'tenant')} with pending notifications; recorded ${counted(ends, 'end')} of onboardings.`,
        SWEEP_INTERVAL_MS,
      );
    },
  };
}

/** After the last page, the first one again. */
const nextPosition = (page: readonly string[]): string => (page.length < TENANTS_PER_SWEEP ? '' : (page.at(-1) ?? ''));
