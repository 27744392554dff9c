import type { Sealer } from '../../lib/sealing.ts';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Complaint, FailedDelivery, Reports } from '../inbound/report.ts';
import { lateBounceOf } from '../delivery/classify-bounce.ts';
import { isSandbox } from '../delivery/sandbox.ts';
import type { EmailComplaint } from '../resources/email.ts';
import { countLateBounce } from './account-pauses.ts';
import { lockEmail } from './delivery-attempts.ts';
import { attemptsOf, changeEmail } from './emails.ts';
import type { Store, StoreTransaction } from './open-store.ts';
import type { Commit, FirstAttempt } from './outbox.ts';
import { recordEmailEvent } from './record-attempt.ts';
import type { EmailSummary } from './schema.ts';
import { refusesAddress, suppressAfterBounce, suppressedForm, suppressRecipient } from './suppressions.ts';

export interface ReportToRecord extends Commit {
  readonly emailId: string;
  readonly reports: Reports;
}

/**
 * `unrelated`: the reports are about another recipient, or say nothing about the email. `repeated`: an earlier report said it, which stays.
 * `too_early`: the email is still queued, as it is for a moment after the receiver has accepted it.
 */
export type RecordedReport =
  | { readonly outcome: 'unrelated' | 'repeated' | 'too_early' }
  | {
      readonly outcome: 'late_bounce' | 'complaint';
      readonly accountId: string;
      /** Whether the bounce rate of the account has grown. */
      readonly countsAsBounce: boolean;
      readonly posts: readonly FirstAttempt[];
    };

/** Records what a report says about the email, in one transaction with its event and its suppression. The status is final. */
export const recordReport = (store: Store, sealer: Sealer, received: ReportToRecord): Promise<RecordedReport> =>
  inTransaction(store, (transaction) => recordReportIn(transaction, sealer, received));

export async function recordReportIn(
  transaction: StoreTransaction,
  sealer: Sealer,
  received: ReportToRecord,
): Promise<RecordedReport> {
  const email = await lockEmail(transaction, received.emailId);
  // Nothing of a person that was erased is written again.
  if (email?.erased_at !== null) return { outcome: 'unrelated' };
  const report = received.reports.find(({ kind, recipients }) => isAbout(email, kind, recipients));
  if (report === undefined) return { outcome: 'unrelated' };
  if (email.status === 'queued') return { outcome: 'too_early' };
  return report.kind === 'failed'
    ? recordLateBounce(transaction, sealer, email, report, received)
    : recordComplaint(transaction, sealer, email, report, received);
}

/** Who reports a complaint may leave out the recipient, whom the address of the report gives. */
function isAbout(email: EmailSummary, kind: Reports[number]['kind'], recipients: readonly string[]): boolean {
  if (recipients.length === 0) return kind === 'complaint';
  const recipient = suppressedForm(email.recipient);
  return recipients.some((each) => suppressedForm(each) === recipient);
}

async function recordLateBounce(
  transaction: StoreTransaction,
  sealer: Sealer,
  email: EmailSummary,
  report: FailedDelivery,
  { now, claimed }: ReportToRecord,
): Promise<RecordedReport> {
  // What bounced in the session has its reason, and a report about it adds none.
  if (email.status !== 'delivered') return { outcome: 'unrelated' };
  if (email.late_bounce !== null) return { outcome: 'repeated' };
  const lateBounce = lateBounceOf(report, now);
  const change = { late_bounce: JSON.stringify(lateBounce) };
  await changeEmail(transaction, email.id, change);
  await suppressAfterBounce(transaction, sealer, email, lateBounce, now);
  const attempts = await attemptsOf(transaction, email.id);
  const locked = { email: { ...email, ...change }, attempts };
  const posts = await recordEmailEvent(transaction, locked, 'email.late_bounced', { now, claimed });
  const countsAsBounce =
    refusesAddress(lateBounce) &&
    !isSandbox(email.recipient) &&
    (await countLateBounce(transaction, email.account_id, new Date(email.delivered_at ?? now)));
  return { outcome: 'late_bounce', accountId: email.account_id, countsAsBounce, posts };
}

const COMPLAINED: Readonly<Record<Complaint['type'], string>> = {
  abuse: 'The recipient reported an email of this account as spam.',
  fraud: 'The recipient reported an email of this account as fraud.',
  virus: 'The provider of the recipient reported a virus in an email of this account.',
  other: 'The recipient complained about an email of this account.',
};

async function recordComplaint(
  transaction: StoreTransaction,
  sealer: Sealer,
  email: EmailSummary,
  { type }: Complaint,
  { now, claimed }: ReportToRecord,
): Promise<RecordedReport> {
  if (email.complaint !== null) return { outcome: 'repeated' };
  const complaint: EmailComplaint = { at: now.toISOString(), type };
  const change = { complaint: JSON.stringify(complaint) };
  await changeEmail(transaction, email.id, change);
  await suppressRecipient(transaction, sealer, email, { cause: 'complaint', reason: COMPLAINED[type], now });
  const attempts = await attemptsOf(transaction, email.id);
  const locked = { email: { ...email, ...change }, attempts };
  const posts = await recordEmailEvent(transaction, locked, 'email.complained', { now, claimed });
  return { outcome: 'complaint', accountId: email.account_id, countsAsBounce: false, posts };
}
