import { activityInfo, cancellationSignal, heartbeat, log } from '@temporalio/activity';
import { counted } from '../../lib/counted.ts';
import { noteMeasured } from '../../lib/metrics/metrics.ts';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import type { ApiKeyClaims } from '../../store/onboarding/sql-api-key-claims.ts';
import type { SeenEvent } from '../../store/upkeep/restored-database.ts';
import type { StuckSince } from '../../onboarding/onboarding-record.ts';
import type { RecordEnd } from '../../onboarding/record-change.ts';
import type { Register, StoredRecord } from '../../store/onboarding/register.ts';
import { withoutSecrets } from '../../lib/without-secrets.ts';

/** The longest that a notification waits whose Workflow a crash prevented from starting. */
const SWEEP_INTERVAL_MS = 10_000;
/** A sweep takes at most a few seconds; the next one continues where it ended. */
const TENANTS_PER_SWEEP = 100;
/** More onboardings without an execution at once are the fault of the server or its settings, not of a person who deleted one. */
const MISSING_NOTED_MAX = 3;
/** Onboardings that a report names. */
const NAMED_MAX = 10;
/** A bad release can stop all of them at once; those left over follow in the next sweep. */
const STUCK_PER_SWEEP = 1_000;
/** Of those that Temporal reports, those recorded before are left out. */
const STUCK_PAGES_MAX = 10;
/** A slow part leaves time to the others: a sweep is cut off after a minute. */
const PART_MS_MAX = 10_000;

/** In a record, the Activity that found its execution missing. */
const NOTED_AS = 'sweepRegister';

interface Page {
  readonly after: string;
  readonly limit: number;
}

export interface SweepDependencies {
  readonly register: Pick<Register, 'get' | 'end' | 'noteAttempt' | 'noteStuck'>;
  readonly claims: Pick<ApiKeyClaims, 'eraseReplayable'>;
  readonly runningTenants: (page: Page) => Promise<string[]>;
  /** Recorded as stuck. */
  readonly stuckTenants: (page: Page) => Promise<string[]>;
  readonly stuckOnboardings: {
    /** Tenants that Temporal reports as stuck; undefined if this server reports none, so that each is asked about. */
    readonly reported: (limit: number) => Promise<string[] | undefined>;
    /** Undefined if the onboarding of the tenant is not stuck. */
    readonly taskOf: (tenantId: string) => Promise<StuckSince | undefined>;
  };
  /** Those of the tenants whose execution runs, as far as visibility knows: one call, where `executionOf` is one for each tenant. */
  readonly listedAsRunning: (tenantIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Tenants whose execution was terminated or timed out in the last minutes: some of them. */
  readonly recentlyTerminated: (limit: number) => Promise<string[]>;
  /** See executionOf: the one that is missing has not ended. */
  readonly executionOf: (record: StoredRecord) => Promise<RecordEnd | 'running' | 'missing'>;
  /** Throws if the Namespace is not the one of the database: what it knows of executions then means nothing. */
  readonly requireOwnNamespace: () => Promise<unknown>;
  /** Whether the database was restored: it has lost an event that an earlier sweep saw. */
  readonly restores: {
    readonly latestEvent: () => Promise<SeenEvent | undefined>;
    readonly hasLost: (seen: SeenEvent) => Promise<boolean>;
    readonly note: (at: string) => Promise<void>;
  };
  /** Undefined if the backend is not notified. */
  readonly notifications:
    | { readonly tenants: (page: Page) => Promise<string[]>; readonly resume: (tenantId: string) => Promise<void> }
    | undefined;
  /** Milliseconds since any fixed moment. @default a monotonic clock */
  readonly now?: () => number;
}

/** The last tenants that were checked; heartbeat details pass from attempt to attempt. */
interface Position {
  readonly notified: string;
  readonly running: string;
  readonly stuck: string;
  /** The latest event of the register: Temporal keeps it, and a restored database does not have it. */
  readonly seen?: SeenEvent;
}

/** What is done for a tenant, in words and as a call. */
type TenantCall = readonly [what: string, call: (tenantId: string) => Promise<void>];

/** What one sweep has found so far. */
interface Sweep {
  position: Position;
  /** Recorded ends of onboardings. */
  ends: number;
  readonly missing: Set<string>;
}

export function sweepActivities({
  register,
  claims,
  runningTenants,
  stuckTenants,
  stuckOnboardings,
  listedAsRunning,
  recentlyTerminated,
  executionOf,
  requireOwnNamespace,
  restores,
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
    [what, call]: TenantCall,
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

  /** @returns whether an end was recorded, or the execution is missing */
  async function lookUp(tenantId: string): Promise<'ended' | 'missing' | undefined> {
    const record = await register.get(tenantId);
    if (record?.outcome !== 'running') return undefined;
    const found = await executionOf(record);
    if (found === 'running' || found === 'missing') return found === 'missing' ? found : undefined;
    return (await register.end(found)).kind === 'current' ? 'ended' : undefined;
  }

  /** Records why nothing happens; the next attempt of one of its Activities, if there is one, replaces that. */
  async function noteMissing(tenantId: string): Promise<void> {
    const record = await register.get(tenantId);
    if (record?.outcome !== 'running' || record.waiting?.activity === NOTED_AS) return;
    const at = new Date().toISOString();
    const { attemptId, runId, stagesEntered } = record;
    const message = `Temporal has no execution of this onboarding: it was deleted. To record it as terminated, cancel it: sendoff cancel ${tenantId}`;
    const failed = { activity: NOTED_AS, attempt: 1, message, at, nextAttemptAt: null };
    await register.noteAttempt({ tenantId, attemptId, runId, stagesEntered, at }, NOTED_AS, failed);
  }

  /** Absence is not an end: a few missing executions are noted in their records, more are only logged. */
  async function reportMissing(missing: readonly string[]): Promise<void> {
    const named = missing.slice(0, NAMED_MAX).join(', ');
    const leftOut = leftOutOf(`missing ${named}`);
    if (leftOut !== undefined) {
      const message = `Temporal has no execution of ${counted(missing.length, 'onboarding')} that the register shows as running; nothing is recorded. Compare both: sendoff reconcile`;
      log.warn(message, { tenants: named, leftOut });
    }
    if (missing.length > MISSING_NOTED_MAX) return;
    await inTurn(missing, ['note a missing execution', noteMissing]);
  }

  /** Those recorded as stuck; none if nothing is to be compared with them. */
  async function allStuck(reported: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let page = 0; page < STUCK_PAGES_MAX && reported.length > 0; page += 1) {
      const tenants = await stuckTenants({ after: [...found].at(-1) ?? '', limit: STUCK_PER_SWEEP });
      for (const tenantId of tenants) found.add(tenantId);
      if (tenants.length < STUCK_PER_SWEEP) break;
    }
    return found;
  }

  async function noteStuck(tenantId: string): Promise<void> {
    const record = await register.get(tenantId);
    if (record?.outcome !== 'running') return;
    const task = await stuckOnboardings.taskOf(tenantId);
    const by = { tenantId, attemptId: record.attemptId, at: new Date().toISOString() };
    await register.noteStuck(by, task === undefined ? null : { since: task.since, message: task.message });
  }

  function moveTo(sweep: Sweep, part: Partial<Position>): void {
    sweep.position = { ...sweep.position, ...part };
    heartbeat(sweep.position);
  }

  /** Makes a call for each tenant of a page, or for some of them. After the last page comes the first one again. */
  async function walk(
    sweep: Sweep,
    part: 'notified' | 'running' | 'stuck',
    page: readonly string[],
    call: TenantCall,
    { tenants = page, limit = TENANTS_PER_SWEEP } = {},
  ): Promise<void> {
    const isDone = await inTurn(tenants, call, (tenantId) => {
      moveTo(sweep, { [part]: tenantId });
    });
    if (isDone) moveTo(sweep, { [part]: page.length < limit ? '' : (page.at(-1) ?? '') });
  }

  async function findRestore(sweep: Sweep): Promise<void> {
    const { seen } = sweep.position;
    if (seen !== undefined && (await restores.hasLost(seen))) {
      await restores.note(new Date().toISOString());
      log.warn('the database is older than Temporal: it was restored. Compare both: sendoff reconcile', { seen });
    }
    const latest = await restores.latestEvent();
    if (latest !== undefined && latest.eventId !== seen?.eventId) moveTo(sweep, { seen: latest });
  }

  /** @returns how many tenants have pending notifications; a Workflow that runs is not disturbed */
  async function resumeNotifications(sweep: Sweep): Promise<number> {
    if (notifications === undefined) return 0;
    const { tenants, resume } = notifications;
    const after = sweep.position.notified;
    const notified = await attempt('list pending notifications', () => tenants({ after, limit: TENANTS_PER_SWEEP }));
    if (notified !== undefined)
      await walk(sweep, 'notified', notified, ['resume the notifications of a tenant', resume]);
    return notified?.length ?? 0;
  }

  const endIn = (sweep: Sweep): TenantCall => [
    'record the end of an onboarding',
    async (tenantId) => {
      const found = await lookUp(tenantId);
      if (found === 'ended') sweep.ends += 1;
      if (found === 'missing') sweep.missing.add(tenantId);
    },
  ];

  /** @returns a page of those that the register shows as running */
  async function endNotListed(sweep: Sweep): Promise<string[] | undefined> {
    const after = sweep.position.running;
    const running = await attempt('list running onboardings', () =>
      runningTenants({ after, limit: TENANTS_PER_SWEEP }),
    );
    const listed = running && (await attempt('list running executions', () => listedAsRunning(running)));
    if (running !== undefined && listed !== undefined) {
      const tenants = running.filter((tenantId) => !listed.has(tenantId));
      await walk(sweep, 'running', running, endIn(sweep), { tenants });
    }
    return running;
  }

  /** @param running asked about if this server reports no stuck executions */
  async function noteStuckOnboardings(sweep: Sweep, running: string[] | undefined): Promise<void> {
    const after = sweep.position.stuck;
    const recorded = await attempt('list stuck onboardings', () => stuckTenants({ after, limit: STUCK_PER_SWEEP }));
    if (recorded === undefined) return;
    const reported = await attempt(
      'list stuck executions',
      async () => (await stuckOnboardings.reported(STUCK_PER_SWEEP * STUCK_PAGES_MAX)) ?? running,
    );
    const known = await attempt('list stuck onboardings', () => allStuck(reported ?? []));
    const note: TenantCall = ['note a stuck onboarding', noteStuck];
    // Those that are not recorded yet come first: the others may be many.
    await inTurn(
      (reported ?? []).filter((tenantId) => known?.has(tenantId) !== true),
      note,
    );
    await walk(sweep, 'stuck', recorded, note, { limit: STUCK_PER_SWEEP });
    if (reported !== undefined) noteMeasured('sweep');
  }

  return {
    /** Never succeeds: Temporal's retry is the sweep's clock. */
    async sweepRegister(): Promise<never> {
      const before = activityInfo().heartbeatDetails as Partial<Position> | undefined;
      const sweep: Sweep = {
        position: { notified: '', running: '', stuck: '', ...before },
        ends: 0,
        missing: new Set(),
      };
      await attempt('compare the database with the last sweep', () => findRestore(sweep));
      await attempt('erase the tokens of claims', () => claims.eraseReplayable());
      const notified = await resumeNotifications(sweep);
      if ((await attempt('look up executions', () => requireOwnNamespace().then(() => true))) === true) {
        const running = await endNotListed(sweep);
        await noteStuckOnboardings(sweep, running);
        const closed = await attempt('list terminated onboardings', () => recentlyTerminated(TENANTS_PER_SWEEP));
        await inTurn(new Set(closed), endIn(sweep));
      }
      const missing = [...sweep.missing];
      if (missing.length > 0) await reportMissing(missing);
      const named = `${missing.slice(0, NAMED_MAX).join(', ')}${missing.length > NAMED_MAX ? ' and others' : ''}`;
      throw notYet(
        'RegisterSwept',
        `Found ${counted(notified, 'tenant')} with pending notifications; recorded ${counted(sweep.ends, 'end')} of onboardings.${
          missing.length === 0 ? '' : ` Temporal has no execution of ${named}.`
        }`,
        SWEEP_INTERVAL_MS,
      );
    },
  };
}
