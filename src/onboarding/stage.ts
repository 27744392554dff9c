import { type StageRow, steps } from './steps.ts';

/** Where an onboarding stands: in a step, in a wait, in its undo or at its end. */
export type Stage = StageRow['stage'] | 'undoing' | 'done';

export const Stage = Object.fromEntries(
  [...steps.map(({ stage }) => stage), 'undoing', 'done'].map((stage) => [stage, stage]),
) as { readonly [Name in Stage]: Name };

/** Each onboarding begins in it, before its first Workflow Task. */
export const firstStage: Stage = steps[0].stage;

/** The stages in which an onboarding waits for the tenant's DNS or the receiver; in the others a step runs, or it ends. */
export const waitStages: readonly Stage[] = steps.filter((row) => !('step' in row)).map(({ stage }) => stage);

const order: readonly Stage[] = Object.values(Stage);
export const isAfter = (stage: Stage, other: Stage): boolean => order.indexOf(stage) > order.indexOf(other);
const domainWait = order.indexOf(Stage.awaitingDomain);
/** The stages before and after the domain wait, apart from the undo and the end. */
export const stagesBeforeWait = order.slice(0, domainWait);
export const stagesAfterWait = order.slice(domainWait + 1, -2);

export const endStages: readonly Stage[] = [Stage.undoing, Stage.done];

/** The last stage before the end of an onboarding and its undo; undefined before the first. */
export const stageBeforeEnd = (visits: readonly { readonly stage: Stage }[]): Stage | undefined =>
  visits.findLast(({ stage }) => !endStages.includes(stage))?.stage;
