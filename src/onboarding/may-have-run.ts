import { type BadEnd, UndoableStep } from './failures.ts';
import type { Onboarding } from './onboarding.ts';
import { Stage } from './stage.ts';

/** The stages up to the last step that can be undone, in their order. */
const stages: readonly Stage[] = [
  Stage.issuingKey,
  Stage.registeringWebhook,
  Stage.registeringDomain,
  Stage.awaitingDomain,
  Stage.creatingSender,
];

const stepOf: Partial<Record<Stage, UndoableStep>> = {
  [Stage.issuingKey]: UndoableStep.issueApiKey,
  [Stage.registeringWebhook]: UndoableStep.registerWebhook,
  [Stage.registeringDomain]: UndoableStep.registerDomain,
  [Stage.creatingSender]: UndoableStep.createSender,
};

const ends: readonly Stage[] = [Stage.undoing, Stage.done];

/** The stage whose step may have run without an answer, once it is known how the onboarding ends. Undefined if that end is an answer. */
export function cutOffIn({ stages: visits }: Pick<Onboarding, 'stages'>, end: BadEnd): Stage | undefined {
  if (end !== 'ProviderUnavailable' && end !== 'Cancelled') return undefined;
  return visits.findLast(({ stage }) => !ends.includes(stage))?.stage;
}

/**
 * The steps that may have run without an answer when an onboarding ends in this stage, oldest first: a lost Workflow Task may have run
 * the step of the stage and all that follow, up to the domain wait or beyond it.
 *
 * @param looksFirst whether a Workflow Task may pass the domain wait
 */
export function mayHaveRun(cutOffIn: Stage, looksFirst: boolean): UndoableStep[] {
  const at = stages.indexOf(cutOffIn);
  if (at < 0) return [];
  const endsAtWait = !looksFirst && cutOffIn !== Stage.creatingSender;
  const mayHaveBegun = stages.slice(at, endsAtWait ? stages.indexOf(Stage.awaitingDomain) : undefined);
  return mayHaveBegun.flatMap((stage) => stepOf[stage] ?? []);
}
