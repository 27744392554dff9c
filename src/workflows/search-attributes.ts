import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

// What ops filter by. Search Attributes are never encrypted: no secret may enter one.
const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export const tenantKey = keyword('SendoffTenant');
export const domainKey = keyword('SendoffDomain');
/** Only the stages ops wait on: awaitingDomain, awaitingDelivery, undoing, done. */
export const stageKey = keyword('SendoffStage');
/** The type of an onboarding's failure, or the reason code of a check's result. */
export const reasonKey = keyword('SendoffReason');
/** F1, F2 or F3. */
export const exitKey = keyword('SendoffExit');

export const producerKey = keyword('SendoffProducer');
/** pass, partial, fail or inconclusive. */
export const outcomeKey = keyword('SendoffOutcome');
/** On the check that found another outcome than the one before: `pass-to-fail`. */
export const outcomeChangeKey = keyword('SendoffOutcomeChange');

export const searchAttributeKeys = [
  tenantKey,
  domainKey,
  stageKey,
  reasonKey,
  exitKey,
  producerKey,
  outcomeKey,
  outcomeChangeKey,
];
