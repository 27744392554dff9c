import { waitUntil } from '../../lib/wait-until.ts';
import { waitStages } from '../../onboarding/stage.ts';
import type { Register } from '../../store/onboarding/register.ts';
import type { Onboardings } from './onboardings.ts';

/** As long as a step of an onboarding takes at a provider that answers. */
const HELD_MS_MAX = 3_000;

/**
 * Sends a wake-up when the onboarding waits, or after some seconds. Steps that answer quickly share a Workflow Task with what follows
 * them, and the server refuses the result of a Task that ends a Workflow if a Signal has arrived meanwhile: all its steps are repeated.
 * Without a record, or if the register cannot be read, it is sent at once.
 */
export const wakeUpInWait =
  ({ onboardings, register }: { onboardings: Pick<Onboardings, 'wakeUp'>; register: Pick<Register, 'get'> }) =>
  async (...[tenantId, wakeUp]: Parameters<Onboardings['wakeUp']>): Promise<boolean> => {
    let inStep = false;
    // The look after a step is followed by another one, because the end comes right after the last step.
    const hasSettled = async (): Promise<boolean> => {
      const wasInStep = inStep;
      const record = await register.get(tenantId).catch(() => undefined);
      inStep = record?.outcome === 'running' && !waitStages.includes(record.onboarding.stage);
      return !inStep && !wasInStep;
    };
    await waitUntil(hasSettled, { timeoutMs: HELD_MS_MAX });
    return onboardings.wakeUp(tenantId, wakeUp);
  };
