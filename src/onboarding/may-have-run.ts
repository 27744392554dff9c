import { UndoableStep } from './failures.ts';
import { Stage } from './stage.ts';

/** Steps of one row have no wait between them: a Workflow Task that was lost may have run ahead through the whole row. */
const rows: readonly (readonly { readonly step: UndoableStep; readonly stage: Stage }[])[] = [
  [
    { step: UndoableStep.issueApiKey, stage: Stage.issuingKey },
    { step: UndoableStep.registerWebhook, stage: Stage.registeringWebhook },
    { step: UndoableStep.registerDomain, stage: Stage.registeringDomain },
  ],
  [{ step: UndoableStep.createSender, stage: Stage.creatingSender }],
];

/** The steps of which the provider may hold something that no answer told of, when this stage was cut off; oldest first. */
export function mayHaveRun(cutOffIn: Stage): UndoableStep[] {
  for (const row of rows) {
    const at = row.findIndex(({ stage }) => stage === cutOffIn);
    if (at >= 0) return row.slice(at).map(({ step }) => step);
  }
  return [];
}
