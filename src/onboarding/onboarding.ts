import type { BadEnd, Exit, UndoneStep } from './failures.ts';
import type { DnsRecord } from './dns-record.ts';
import type { OnboardTenantInput } from './input.ts';
import { keyStepOf, type ProviderName } from './provider-name.ts';
import { firstStage, type Stage, stagesAfterWait } from './stage.ts';
import { type CreatedIds, type KeptField, rowOf, type StageRow, type StepName, stepRows } from './steps.ts';

/** The state of an onboarding, as the Query `onboardingState` returns it. Times are RFC 3339 UTC. */
export interface Onboarding extends CreatedIds {
  tenantId: string;
  domain: string;
  fromAddress: string;
  /** Absent without a display name. */
  fromName?: string;
  recipient: string;
  /** Absent for the embedded email service, and another with its API. */
  provider?: ProviderName;
  /** Absent if it has all steps; see `since` of a row. */
  withoutSteps?: readonly StepName[];
  stage: Stage;
  /** Every stage entered so far, oldest first; F2 enters `awaitingDomain` again. */
  stages: { stage: Stage; at: string }[];
  /** ID of sendoff's own key, beside the one that the backend claims. Absent if one key serves both. */
  ownKeyId?: string;
  records: DnsRecord[];
  /** When the verification window closes; F1 needs a final check after it. */
  verificationDeadline: string | null;
  /** How often the sender was refused because the domain was not verified. */
  timesNotVerified: number;
  /** Wake-ups received. */
  wakeUps: number;
  /** Set before the undo begins; null unless the onboarding failed or was cancelled. */
  badEnd: { type: BadEnd; exit: Exit | null; message: string } | null;
  /** The undo report, newest step first; grows while the stage is `undoing`. */
  undo: UndoneStep[];
}

export function newOnboarding(input: OnboardTenantInput): Onboarding {
  return {
    tenantId: input.tenantId,
    domain: input.domain,
    fromAddress: input.fromAddress,
    ...(input.fromName !== undefined && { fromName: input.fromName }),
    recipient: input.firstEmail.recipient,
    ...(input.provider !== undefined && { provider: input.provider }),
    stage: firstStage,
    stages: [],
    ...noIds,
    records: [],
    verificationDeadline: null,
    timesNotVerified: 0,
    wakeUps: 0,
    badEnd: null,
    undo: [],
  };
}

/** Whether the row is a step that the onboarding does not have. */
export const goesWithout = ({ withoutSteps = [] }: Pick<Onboarding, 'withoutSteps'>, row: StageRow): boolean =>
  'step' in row && withoutSteps.includes(row.step);

const noIds = Object.fromEntries(stepRows.map(({ id }) => [id, null])) as CreatedIds;

const keptFields: readonly KeptField[] = stepRows.flatMap((row) => [row.id, ...('keeps' in row ? row.keeps : [])]);

/** The fields of an Activity's result that the register keeps. */
export const keptOf = (result: object): Partial<Onboarding> =>
  Object.fromEntries(
    keptFields.flatMap((field) => (field in result ? [[field, result[field as keyof typeof result]]] : [])),
  );

/** The tenant's key and the step that brought it; null if the provider gives tenants none. */
export function tenantKeyOf(onboarding: Pick<Onboarding, 'provider' | 'keyId' | 'senderId'>): {
  step: StepName | null;
  keyId: string | null;
} {
  const step = keyStepOf(onboarding.provider);
  return { step, keyId: step === null ? null : onboarding[rowOf(step).id] };
}

const idsAfterWait = stepRows.filter(({ stage }) => stagesAfterWait.includes(stage)).map(({ id }) => id);

/** Whether the record has lost what a step of the onboarding had created: an Activity records it before the Workflow knows it. */
export const hasLost = (recorded: CreatedIds, known: CreatedIds): boolean =>
  stepRows.some(({ id }) => recorded[id] === null && known[id] !== null);

/** The ids of what is created after the domain wait, with those that only the record knows: of a Workflow Task that was lost. */
export const idsAfterWaitOf = (onboarding: CreatedIds, recorded: Partial<CreatedIds> = {}): Partial<CreatedIds> =>
  Object.fromEntries(idsAfterWait.map((id) => [id, onboarding[id] ?? recorded[id] ?? null]));
