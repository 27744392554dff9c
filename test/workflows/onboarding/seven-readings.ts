// A provider of the seven endpoints alone, in readings of what the specification does not show. Each onboarding ends within minutes.
import type { WorkflowHandle } from '@temporalio/client';
import { failureOf, inputOf } from '../../support/onboarding-environment.ts';
import { seededChances } from '../../support/seeded-chances.ts';
import { chosen, type OpenChoices } from '../../support/seven-endpoints.ts';
import { afterEnd, withSevenEndpoints } from './with-seven-endpoints.ts';

/** How it ended, in one word. */
async function endOf(handle: WorkflowHandle, { end, outcome }: OpenChoices): Promise<string> {
  if (end === 'cancelled') {
    const error: unknown = await handle.result().catch((thrown: unknown) => thrown);
    return (error as { cause?: Error }).cause?.name ?? 'not cancelled';
  }
  if (outcome !== 'delivered') return (await failureOf(handle)).type;
  await handle.result();
  return 'onboarded';
}

/** Onboards a tenant at each of these readings, and returns those that end otherwise than they should within minutes. */
export async function wrongReadings(first: number, count: number): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  await withSevenEndpoints(async ({ start, sleep }, far) => {
    for (let seed = first; seed < first + count; seed++) {
      const tenantId = `tenant-${seed}`;
      const choices = chosen(seededChances(seed));
      far.add(tenantId, choices);
      const handle = await start(inputOf(tenantId));
      if (choices.end === 'cancelled') {
        await sleep('5 seconds');
        await handle.cancel();
      }
      const ended = await endOf(handle, choices);
      const { isBounded, undo, minutes, webhooks, emails } = await afterEnd(far, handle, tenantId);
      const expected =
        choices.end === 'cancelled'
          ? ['CancelledFailure', 'onboarded']
          : [choices.outcome === 'delivered' ? 'onboarded' : 'EmailBounced'];
      const isRight = isBounded && expected.includes(ended) && undo.every(({ result }) => result !== 'failed');
      if (!isRight) wrong.push({ seed, ended, minutes, webhooks, emails, undo, choices });
    }
  });
  return wrong;
}
