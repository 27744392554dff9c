import { sleep } from '@temporalio/workflow';

export async function changed(): Promise<void> {
  await sleep('1 hour');
}
