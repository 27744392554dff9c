import type { ProcessName } from '../deployment/start-deployment.ts';
import { type Chances, seededChances } from '../support/seeded-chances.ts';

export const databases = ['sqlite', 'postgres'] as const;
export type Database = (typeof databases)[number];

const programs = ['worker', 'server', 'emailService', 'temporal'] as const;

/** What is killed on each database. */
export const killedProcesses: Readonly<Record<Database, readonly ProcessName[]>> = {
  sqlite: programs,
  postgres: [...programs, 'postgres', 'postgresBackend'],
};

export interface PlannedKill {
  readonly process: ProcessName;
  /** Which of several: the remainder of its division by their number. */
  readonly instance: number;
  /** From the kill before. */
  readonly pauseMs: number;
  /** The email service dies when the receiver has a message and its answer is not yet on the way: inside the window of RFC 1047. */
  readonly atReceipt: boolean;
}

/**
 * good: publishes what is asked, and is onboarded. refused: the receiver refuses the recipient with 550 5.1.1 (F3).
 * unpublished, misplaced: nothing, or everything at doubled host names, until the window is over (F1). cancelled: as
 * good, but called off at any moment, also too late.
 */
export type TenantKind = 'good' | 'refused' | 'unpublished' | 'misplaced' | 'cancelled';

export interface PlannedTenant {
  readonly id: string;
  readonly kind: TenantKind;
  /** From the start of the tenant before. */
  readonly pauseMs: number;
  /** From the moment the records are shown. */
  readonly publishAfterMs: number;
  /** From the start of the onboarding; only for `cancelled`. */
  readonly cancelAfterMs: number;
}

export interface CrashPlan {
  readonly kills: readonly PlannedKill[];
  readonly tenants: readonly PlannedTenant[];
}

export interface CrashPlanOptions {
  readonly database: Database;
  readonly seed: number;
  readonly kills: number;
  readonly onboardings: number;
}

/** A process needs 2 to 4 s to come up, so that some kills meet one that is still starting. */
const KILL_PAUSE_MS = { least: 3_000, most: 5_500 };
/** Divisible by the number of instances of any process, so that each is as likely. */
const INSTANCES = 12;
const PUBLISH_AFTER_MS = { least: 0, most: 8_000 };
/** A good onboarding takes about 10 s undisturbed, and a minute or more with a check that died. */
const CANCEL_AFTER_MS = { least: 0, most: 25_000 };
/** By chance alone a kill would meet the window of a few milliseconds once in thousands. */
const AT_RECEIPT_PROBABILITY = 0.3;

/** Each ten tenants hold every kind. */
const kindsOfTen: readonly TenantKind[] = [
  ...(['good', 'good', 'good', 'good', 'good'] as const),
  ...(['cancelled', 'cancelled', 'refused', 'unpublished', 'misplaced'] as const),
];

/**
 * What is killed when, and who is onboarded how. The same for the same numbers; the timing of the operating system is not,
 * so that a repeated run meets other moments within the same plan.
 */
export function crashPlan({ database, seed, kills, onboardings }: CrashPlanOptions): CrashPlan {
  const chances = seededChances(seed);
  const within = ({ least, most }: typeof KILL_PAUSE_MS) => least + chances.below(most - least + 1);
  const plannedKills = inRounds(kills, killedProcesses[database], chances).map((process) => ({
    process,
    instance: chances.below(INSTANCES),
    pauseMs: within(KILL_PAUSE_MS),
    atReceipt: process === 'emailService' && chances.next() < AT_RECEIPT_PROBABILITY,
  }));
  const killsMs = plannedKills.reduce((sum, { pauseMs }) => sum + pauseMs, 0);
  // The last of them starts when the last kills are still to come.
  const tenantPauseMs = Math.floor((0.9 * killsMs) / onboardings);
  const tenants = inRounds(onboardings, kindsOfTen, chances).map((kind, index) => ({
    id: `tenant-${String(index + 1)}`,
    kind,
    pauseMs: Math.floor(chances.between(0.5, 1.5) * tenantPauseMs),
    publishAfterMs: within(PUBLISH_AFTER_MS),
    cancelAfterMs: within(CANCEL_AFTER_MS),
  }));
  return { kills: plannedKills, tenants };
}

/** Every item comes once in each round, so that few draws already hold all of them. */
function inRounds<Item>(count: number, items: readonly Item[], chances: Chances): Item[] {
  const drawn: Item[] = [];
  while (drawn.length < count) drawn.push(...chances.shuffled(items));
  return drawn.slice(0, count);
}
