import type { WorkflowHandle } from '@temporalio/client';
import { createHttpEmailProvider } from '../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { hoursTaken, type OnboardingEnvironment, withOnboardings } from '../../support/onboarding-environment.ts';
import type { Script } from '../../support/scripted-provider.ts';
import { startSevenEndpoints } from '../../support/seven-endpoints.ts';

type SevenEndpoints = Awaited<ReturnType<typeof startSevenEndpoints>>;

/** Three scheduled checks of the domain, five minutes for the webhook and for a deletion, and the pauses between them. */
const MINUTES_MAX = 20;

/** Onboards tenants at a provider of the seven endpoints alone. @param script what the DNS looks like; @default published */
export async function withSevenEndpoints(
  use: (environment: OnboardingEnvironment, far: SevenEndpoints) => Promise<void>,
  script: Partial<Script> = { dns: () => 'published' },
): Promise<void> {
  const far = await startSevenEndpoints();
  const provider = createHttpEmailProvider({ baseUrl: far.baseUrl, operatorToken: 'operator' });
  try {
    await withOnboardings(script, (environment) => use(environment, far), { provider });
  } finally {
    await provider.close();
    await far.close();
  }
}

/** What an onboarding that has ended cost and left; `isBounded`: it took minutes, and doubled nothing. */
export async function afterEnd(far: SevenEndpoints, handle: WorkflowHandle, tenantId: string) {
  const { undo, records } = await handle.query(onboardingStateQuery);
  const { webhooks, emails } = far.of(tenantId);
  const minutes = (await hoursTaken(handle)) * 60;
  const isBounded = minutes <= MINUTES_MAX && webhooks <= 1 && emails.size <= 1;
  return { undo, records, webhooks, emails: emails.size, minutes, isBounded };
}
