import { UndoableStep } from './failures.ts';
import { Stage } from './stage.ts';

const steps: readonly { readonly step: UndoableStep; readonly stage: Stage }[] = [
  { step: UndoableStep.issueApiKey, stage: Stage.issuingKey },
  { step: UndoableStep.registerWebhook, stage: Stage.registeringWebhook },
  { step: UndoableStep.registerDomain, stage: Stage.registeringDomain },
  { step: UndoableStep.createSender, stage: Stage.creatingSender },
];

/**
 * The steps that may have run without an answer when an onboarding ends in this stage, oldest first: a lost Workflow Task may have run
 * all that follow.
 *
 * @param looksFirst whether a Workflow Task may pass the domain wait
 */
export function mayHaveRun(cutOffIn: Stage, looksFirst: boolean): UndoableStep[] {
  const at = steps.findIndex(({ stage }) => stage === cutOffIn);
  if (at < 0) return [];
  return steps
    .slice(at)
    .filter(({ stage }) => looksFirst || stage !== Stage.creatingSender || cutOffIn === Stage.creatingSender)
    .map(({ step }) => step);
}
