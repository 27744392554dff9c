import { setTimeout as delay } from 'node:timers/promises';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import type { PlannedTenant } from './crash-plan.ts';
import { outcomeOf } from './judge-tenant.ts';
import type { PatientBackend } from './patient-backend.ts';
import { playTenant } from './play-tenant.ts';
import type { Deployment } from '../deployment/start-deployment.ts';

export interface PlayAllOptions {
  readonly backend: PatientBackend;
  readonly world: Deployment['world'];
  /** Aborted when the time for every onboarding is over. */
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  readonly lookPauseMs?: number;
}

/** Starts the planned tenants one after the other, beside each other. Resolves with the last view of each, by tenant. */
export async function playAll(
  tenants: readonly PlannedTenant[],
  { backend, world, signal, report, lookPauseMs }: PlayAllOptions,
): Promise<ReadonlyMap<string, OnboardingView>> {
  const views = new Map<string, OnboardingView>();
  let ended = 0;
  const play = async (tenant: PlannedTenant): Promise<void> => {
    const { id, kind } = tenant;
    const seen = (view: OnboardingView): void => void views.set(id, view);
    try {
      await playTenant(tenant, { backend, world, signal, seen, lookPauseMs });
      ended += 1;
      report(`${id} (${kind}): ${outcomeOf(views.get(id))}; ${ended} of ${tenants.length} ended`);
    } catch (error) {
      // The verdict on the tenant says what that means; here is why.
      report(`${id} (${kind}): ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const plays: Promise<void>[] = [];
  for (const tenant of tenants) {
    await delay(tenant.pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    plays.push(play(tenant));
  }
  await Promise.all(plays);
  return views;
}
