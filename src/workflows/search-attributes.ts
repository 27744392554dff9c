import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

// The fields that operators filter by. Search Attributes are never encrypted: they must hold no secret.
const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export const tenantKey = keyword('SendoffTenant');
export const domainKey = keyword('SendoffDomain');
/** issuingKey from the start, then awaitingDomain, awaitingDelivery, undoing and done; a step after the domain wait once its quick attempts have failed. */
export const stageKey = keyword('SendoffStage');
/** While an onboarding waits for its domain: when the verification window closes. */
export const deadlineKey = defineSearchAttributeKey('SendoffDeadline', SearchAttributeType.DATETIME);
/** While an onboarding waits for its domain: the codes of the definite mistakes in the tenant's DNS. */
export const findingKey = defineSearchAttributeKey('SendoffFinding', SearchAttributeType.KEYWORD_LIST);
/** The failure type of an onboarding, or the reason code of a check. */
export const reasonKey = keyword('SendoffReason');
/** F1, F2 or F3. */
export const exitKey = keyword('SendoffExit');

export const producerKey = keyword('SendoffProducer');
/** pass, partial, fail or inconclusive. */
export const outcomeKey = keyword('SendoffOutcome');
/** Set when a check changes the outcome: `pass-to-fail`. */
export const outcomeChangeKey = keyword('SendoffOutcomeChange');

export const searchAttributeKeys = [
  tenantKey,
  domainKey,
  stageKey,
  deadlineKey,
  findingKey,
  reasonKey,
  exitKey,
  producerKey,
  outcomeKey,
  outcomeChangeKey,
];
