import { UndoableStep } from './failures.ts';
import { type Onboarding, Stage } from './onboarding.ts';

/** Something at the provider that nobody takes back any more. */
export interface Remaining {
  step: UndoableStep;
  /** Null when the onboarding ended before the answer: the provider may hold one or none. */
  resourceId: string | null;
}

/** Steps without a wait between them: a Workflow Task that was lost may have run ahead through all of them. */
const runTogether: readonly Stage[] = [Stage.issuingKey, Stage.registeringWebhook, Stage.registeringDomain];

function mayHaveRun(stage: Stage, last: Stage): boolean {
  if (stage === last) return true;
  return runTogether.includes(last) && runTogether.indexOf(stage) > runTogether.indexOf(last);
}

/**
 * What an onboarding that has ended badly left at the provider, oldest first: what its undo kept or could not take
 * back, and after a termination, which undoes nothing, everything it had made.
 */
export function whatRemains(onboarding: Onboarding): Remaining[] {
  const made: readonly (Remaining & { stage: Stage })[] = [
    { step: UndoableStep.issueApiKey, stage: Stage.issuingKey, resourceId: onboarding.keyId },
    { step: UndoableStep.registerWebhook, stage: Stage.registeringWebhook, resourceId: onboarding.webhookId },
    { step: UndoableStep.registerDomain, stage: Stage.registeringDomain, resourceId: onboarding.domainId },
    { step: UndoableStep.createSender, stage: Stage.creatingSender, resourceId: onboarding.senderId },
  ];
  return made.flatMap(({ step, stage, resourceId }) => {
    const undone = onboarding.undo.find((entry) => entry.step === step);
    if (undone !== undefined) return undone.result === 'undone' ? [] : [{ step, resourceId: undone.resourceId }];
    const maybeMade = resourceId !== null || mayHaveRun(stage, onboarding.stage);
    return maybeMade ? [{ step, resourceId }] : [];
  });
}
