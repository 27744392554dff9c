import { setTimeout as pause } from 'node:timers/promises';
import type { OnboardingRecord } from '../onboarding/onboarding-record.ts';
import { Stage } from '../onboarding/stage.ts';
import type { Register } from '../store/register.ts';
import type { Onboardings } from './onboardings.ts';

/** As long as a step of an onboarding takes at a provider that answers. */
const HELD_MS_MAX = 3_000;
const LOOK_AGAIN_MS = 100;

/**
 * Sends a wake-up when the onboarding waits, or after some seconds. Steps that answer quickly share a Workflow Task with what follows
 * them, and the server refuses the result of a Task that ends a Workflow if a Signal has arrived meanwhile: all its steps are repeated.
 * Without a record, or if the register cannot be read, it is sent at once.
 */
export const wakeUpInWait =
  ({ onboardings, register }: { onboardings: Pick<Onboardings, 'wakeUp'>; register: Pick<Register, 'get'> }) =>
  async (...[tenantId, wakeUp]: Parameters<Onboardings['wakeUp']>): Promise<boolean> => {
    const isInStep = async (): Promise<boolean> => {
      const record = await register.get(tenantId).catch(() => undefined);
      return record?.outcome === 'running' && !isWait(record);
    };
    const heldUntil = performance.now() + HELD_MS_MAX;
    // The look after a step is followed by another one, because the end comes right after the last step.
    for (let wasInStep = false, inStep = await isInStep(); inStep || wasInStep;) {
      if (performance.now() >= heldUntil) break;
      await pause(LOOK_AGAIN_MS);
      wasInStep = inStep;
      inStep = await isInStep();
    }
    return onboardings.wakeUp(tenantId, wakeUp);
  };

const isWait = ({ onboarding: { stage } }: OnboardingRecord): boolean =>
  stage === Stage.awaitingDomain || stage === Stage.awaitingDelivery;
