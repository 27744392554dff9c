import { UndoableStep } from './failures.ts';
import { Stage } from './stage.ts';

/** Steps of one row have no wait between them: a lost Workflow Task may have run the whole row. */
const rows: readonly (readonly { readonly step: UndoableStep; readonly stage: Stage }[])[] = [
  [
    { step: UndoableStep.issueApiKey, stage: Stage.issuingKey },
    { step: UndoableStep.registerWebhook, stage: Stage.registeringWebhook },
    { step: UndoableStep.registerDomain, stage: Stage.registeringDomain },
  ],
  [{ step: UndoableStep.createSender, stage: Stage.creatingSender }],
];

/** The steps that may have run without an answer when an onboarding ends in this stage, oldest first. */
export function mayHaveRun(cutOffIn: Stage): UndoableStep[] {
  for (const row of rows) {
    const at = row.findIndex(({ stage }) => stage === cutOffIn);
    if (at >= 0) return row.slice(at).map(({ step }) => step);
  }
  return [];
}
