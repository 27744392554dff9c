import { startDueChecks } from '../store/domains.ts';
import { eraseExpiredSecrets } from '../store/idempotency-keys.ts';
import type { Store } from '../store/open-store.ts';
import type { OutboxStarter } from '../store/outbox.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';

/** The longest that a Workflow waits whose start was lost in a crash. */
const SWEEP_INTERVAL_MS = 10_000;

export interface StartLeftBehindDependencies {
  readonly store: Store;
  readonly dispatcher: { dispatch(): Promise<{ readonly started: number; readonly failed: number }> };
  readonly beginner: OutboxStarter;
  readonly now: () => Date;
}

/** Begins the checks of domains that are due, starts the Workflows left in the outbox and erases expired one-time secrets. Never succeeds: Temporal's retry is the sweep's clock. */
export const createStartLeftBehind =
  ({ store, dispatcher, beginner, now }: StartLeftBehindDependencies) =>
  async (): Promise<never> => {
    // Their rows are claimed, so the dispatcher leaves them to this process.
    (await startDueChecks(store, now(), beginner.makesFirstAttempts)).forEach(beginner.begin);
    const { started, failed } = await dispatcher.dispatch();
    await eraseExpiredSecrets(store, now());
    throw notYet(
      'OutboxSwept',
      `Started ${String(started)} Workflows; ${String(failed)} could not be started.`,
      SWEEP_INTERVAL_MS,
    );
  };
