// A provider of the seven endpoints alone, in readings of what the specification does not show. Each onboarding ends within minutes.
import type { WorkflowHandle } from '@temporalio/client';
import { createHttpEmailProvider } from '../../../src/email-provider/http-email-provider.ts';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { failureOf, hoursTaken, inputOf, withOnboardings } from '../../support/onboarding-environment.ts';
import { seededChances } from '../../support/seeded-chances.ts';
import { chosen, type OpenChoices, startSevenEndpoints } from '../../support/seven-endpoints.ts';

/** Three scheduled checks of the domain, five minutes for the webhook and for a deletion, and the pauses between them. */
const MINUTES_MAX = 20;

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
  const far = await startSevenEndpoints();
  const provider = createHttpEmailProvider({ baseUrl: far.baseUrl, operatorToken: 'operator' });
  const wrong: unknown[] = [];
  try {
    await withOnboardings(
      { dns: () => 'published' },
      async ({ start, sleep }) => {
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
          const { undo } = await handle.query(onboardingStateQuery);
          const { webhooks, emails } = far.of(tenantId);
          const minutes = (await hoursTaken(handle)) * 60;
          const expected =
            choices.end === 'cancelled'
              ? ['CancelledFailure', 'onboarded']
              : [choices.outcome === 'delivered' ? 'onboarded' : 'EmailBounced'];
          const isRight =
            expected.includes(ended) &&
            minutes <= MINUTES_MAX &&
            webhooks <= 1 &&
            emails.size <= 1 &&
            undo.every(({ result }) => result !== 'failed');
          if (!isRight) wrong.push({ seed, ended, minutes, webhooks, emails: emails.size, undo, choices });
        }
      },
      undefined,
      undefined,
      provider,
    );
  } finally {
    await provider.close();
    await far.close();
  }
  return wrong;
}
