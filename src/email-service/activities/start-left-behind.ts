import type { OutboxDispatcher } from '../outbox-dispatcher.ts';
import { notYet } from './not-yet.ts';

/** How long a Workflow whose start was lost in a crash waits at most. */
const SWEEP_INTERVAL_MS = 10_000;

/** Starts what the outbox still owes, and never succeeds: the server's retry of it is the clock of the sweep. */
export const createStartLeftBehind =
  ({ dispatcher }: { readonly dispatcher: OutboxDispatcher }) =>
  async (): Promise<never> => {
    const { started, failed } = await dispatcher.dispatch();
    throw notYet(
      'OutboxSwept',
      `Started ${String(started)} Workflows; ${String(failed)} could not be started.`,
      SWEEP_INTERVAL_MS,
    );
  };
