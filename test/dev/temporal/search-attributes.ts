import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';

export const tenantKey = defineSearchAttributeKey('SendoffTenant', SearchAttributeType.KEYWORD);
export const stageKey = defineSearchAttributeKey('SendoffStage', SearchAttributeType.KEYWORD);
export const keys = [tenantKey, stageKey];
