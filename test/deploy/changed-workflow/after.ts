import { condition } from '@temporalio/workflow';

/** Without a patch: what `before.ts` has recorded does not replay. */
export async function changed(): Promise<void> {
  await condition(() => false);
}
