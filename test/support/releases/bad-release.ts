import { sleep } from '@temporalio/workflow';

/** Differs from the histories of running onboardings, as a release without `patched` would. */
export async function onboardTenant(): Promise<void> {
  await sleep('1 hour');
}
