import { startDueChecks } from '../store/domains.ts';
import { accountsWithDueEmails, startDueEmails } from '../store/scheduled-emails.ts';
import { databaseTime } from '../../lib/sql/transactions.ts';
import type { SendingLimits } from '../resources/sending-limits.ts';
import { eraseExpiredSecrets } from '../store/idempotency-keys.ts';
import type { Store } from '../store/open-store.ts';
import type { OutboxStarter } from '../store/outbox.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';

/** The longest that an email waits after its time, and a Workflow whose start was lost in a crash. */
const SWEEP_INTERVAL_MS = 10_000;

/** In one sweep, which must end within its minute; the next one begins at once when there may be more. */
const DUE_EMAILS_MAX = 5_000;

export interface StartLeftBehindDependencies {
  readonly store: Store;
  readonly dispatcher: { dispatch(): Promise<{ readonly started: number; readonly failed: number }> };
  readonly beginner: OutboxStarter;
  readonly sendingLimits: SendingLimits;
}

/** Begins the emails and the checks of domains that are due, starts the Workflows left in the outbox and erases expired one-time secrets. Never succeeds: Temporal's retry is the sweep's clock. */
export const createStartLeftBehind =
  ({ dispatcher, ...dependencies }: StartLeftBehindDependencies) =>
  async (): Promise<never> => {
    const { store, beginner } = dependencies;
    // Of two processes whose clocks differ, each may sweep.
    const now = await databaseTime(store);
    // Their rows are claimed, so the dispatcher leaves them to this process.
    (await startDueChecks(store, now, beginner.makesFirstAttempts)).forEach(beginner.begin);
    const emails = await beginDueEmails(dependencies, now);
    const { started, failed } = await dispatcher.dispatch();
    await eraseExpiredSecrets(store, now);
    throw notYet(
      'OutboxSwept',
      `Started ${String(started)} Workflows; ${String(failed)} could not be started.`,
      emails < DUE_EMAILS_MAX ? SWEEP_INTERVAL_MS : 1,
    );
  };

/** Some of each account in turn. @returns how many */
async function beginDueEmails(
  { store, beginner, sendingLimits }: Omit<StartLeftBehindDependencies, 'dispatcher'>,
  now: Date,
): Promise<number> {
  const claimed = beginner.makesFirstAttempts;
  for (let begun = 0; ;) {
    const before = begun;
    for await (const accountId of accountsWithDueEmails(store, now)) {
      const due = await startDueEmails(store, { accountId, now, sendingLimits, claimed });
      due.forEach(beginner.begin);
      begun += due.length;
      if (begun >= DUE_EMAILS_MAX) return begun;
    }
    if (begun === before) return begun;
  }
}
