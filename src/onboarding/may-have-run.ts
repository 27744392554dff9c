import { UndoableStep } from './failures.ts';
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
