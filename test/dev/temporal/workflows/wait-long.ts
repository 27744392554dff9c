import { sleep, upsertSearchAttributes } from '@temporalio/workflow';
import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';

/** Waits for as long as a tenant may take to publish DNS records. */
export async function waitLong(): Promise<string> {
  await sleep('72 hours');
  upsertSearchAttributes([
    { key: defineSearchAttributeKey('SendoffStage', SearchAttributeType.KEYWORD), value: 'done' },
  ]);
  return 'waited';
}
