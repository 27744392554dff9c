import { eraseExpiredSecrets } from '../store/idempotency-keys.ts';
import type { Store } from '../store/open-store.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';

/** How long a Workflow whose start was lost in a crash waits at most. */
const SWEEP_INTERVAL_MS = 10_000;

export interface StartLeftBehindDependencies {
  readonly store: Store;
  readonly dispatcher: { dispatch(): Promise<{ readonly started: number; readonly failed: number }> };
  readonly now: () => Date;
}

/** Starts what the outbox still owes and erases one-time secrets whose day is over. Never succeeds: the server's retry of it is the clock of the sweep. */
export const createStartLeftBehind =
  ({ store, dispatcher, now }: StartLeftBehindDependencies) =>
  async (): Promise<never> => {
    const { started, failed } = await dispatcher.dispatch();
    await eraseExpiredSecrets(store, now());
    throw notYet(
      'OutboxSwept',
      `Started ${String(started)} Workflows; ${String(failed)} could not be started.`,
      SWEEP_INTERVAL_MS,
    );
  };
