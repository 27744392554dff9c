import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { createHash } from 'node:crypto';
import { bounceOf } from '../../email-provider/bounce-words.ts';
import type { AccountProvider, ProviderEmail } from '../../email-provider/email-provider.ts';
import type { MarkedTenant, OperatorAccount } from '../../email-provider/operator-account.ts';
import { mayHaveActed, ProviderError } from '../../email-provider/provider-error.ts';
import { EMAIL_NOT_SENT } from '../../onboarding/email-not-sent.ts';
import type { FailureDetails, FailureType } from '../../onboarding/failures.ts';
import { emailIdempotencyKey } from '../../onboarding/onboarding-ids.ts';
import type { Bounce } from '../../onboarding/provider-event.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import type { ReportedEmail } from '../../store/onboarding/provider-events.ts';
import type { IntentKey } from '../../store/onboarding/provider-intents.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { LOOK_FOR_EMAIL_MS, nextDeliveryCheckMs, nextEmailLookMs } from '../../onboarding/time-limits.ts';
import { timeOfAttempt } from './make-once.ts';
import { accountAt, intentIdOf, markedTenant } from './operator-accounts.ts';
import { tenantAccount } from './tenant-account.ts';
import { isConfirmed } from '../confirmed-answer.ts';
import type { CancelRequested, StepInput } from './step-input.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { optionalCall } from './optional-call.ts';
import { pollDelayMs, type PollInput } from './poll-delay.ts';

export interface FirstEmailStepInput extends StepInput, CancelRequested {
  readonly senderId: string;
  readonly firstEmail: OnboardTenantInput['firstEmail'];
  readonly fromAddress: string;
  readonly fromName?: string;
  /** Whether a Workflow Task that was lost may have sent it: then only a repetition finds its id. */
  readonly mayBeSent?: boolean;
}

export type SentEmail =
  | {
      readonly emailId: string;
      /** Absent unless the email's status is already final, or if the onboarding is to stop. */
      readonly outcome?: EmailOutcome;
    }
  /** The provider refused the recipient before there was an email. */
  | { readonly emailId: null; readonly outcome: BouncedEmail };

export interface EmailCheckInput extends StepInput {
  readonly emailId: string;
}

/** `gone`: the provider accepted the email and now keeps reporting that it does not exist. */
export type EmailOutcome =
  { readonly status: 'delivered'; readonly deliveredAt: string | null } | BouncedEmail | { readonly status: 'gone' };

interface BouncedEmail {
  readonly status: 'bounced';
  readonly bounce: Bounce;
}

/** A quick attempt takes at most four seconds. POST asks for this wait; GET follows only an answer that took less, and has a timeout. */
const ATTEMPT_WAIT_SECONDS = 2;
const OUTCOME_TIMEOUT_MS = 1_000;
/** For clocks that differ, and a request that arrives late. */
const UNKNOWN_MARGIN_MS = 3_600_000;

/** Whether the step's deadline is near: its end would hide that the email may have been accepted. */
function isAlmostOver(): boolean {
  const { scheduledTimestampMs, scheduleToCloseTimeoutMs, currentAttemptScheduledTimestampMs } = activityInfo();
  return currentAttemptScheduledTimestampMs > scheduledTimestampMs + scheduleToCloseTimeoutMs - UNKNOWN_MARGIN_MS;
}

/** Undefined if the status is not final or the provider does not answer: the provider has accepted the email, and the wait asks again. */
async function outcomeNow(account: AccountProvider, emailId: string): Promise<EmailOutcome | undefined> {
  const email = await optionalCall(OUTCOME_TIMEOUT_MS, (signal) => account.getEmail(emailId, { signal }));
  return email && outcomeOf(email);
}

export function firstEmailActivities(
  dependencies: Pick<ActivityDependencies, 'provider' | 'operatorAccounts' | 'secrets'>,
) {
  const { operatorAccounts } = dependencies;
  /** Undefined if the provider has reported for minutes that the email does not exist. */
  async function getEmail({ tenantId, emailId, provider }: EmailCheckInput): Promise<ProviderEmail | undefined> {
    const signal = cancellationSignal();
    try {
      if (provider === undefined)
        return await (await tenantAccount(tenantId, dependencies)).getEmail(emailId, { signal });
      const account = accountAt(provider, operatorAccounts);
      const reported = await operatorAccounts.events.email(provider, emailId);
      if (!account.facts.delivery.poll) return reported ?? unreported(emailId);
      const tenant = await markedTenant(tenantId, provider, dependencies);
      return explained(await account.getEmail(emailId, tenant, { signal }), reported);
    } catch (error) {
      if (error instanceof ProviderError && error.meaning === 'gone' && isConfirmed(error)) return undefined;
      throw error;
    }
  }

  /**
   * The id of an email whose answer was lost, from its event or at the provider. Undefined if a repetition of the request is safe; otherwise throws
   * until the email is found, or is too late to be.
   */
  async function lookForEmail({
    tenantId,
    unknown,
    intentId,
    tenant,
  }: {
    readonly tenantId: string;
    readonly unknown: FailureDetails['SendOutcomeUnknown'];
    readonly intentId: string;
    readonly tenant: MarkedTenant;
  }): Promise<string | undefined> {
    const { provider, since, recipient } = unknown;
    const reportedId = await operatorAccounts.events.emailIdOf(provider, intentId);
    if (reportedId !== undefined) return reportedId;
    const account = accountAt(provider, operatorAccounts);
    const { sendOnce: once } = account.facts;
    const elapsedMs = Date.parse(timeOfAttempt()) - Date.parse(since);
    const untilMs = once.kind === 'key' ? once.lifetimeMs : LOOK_FOR_EMAIL_MS;
    const isTooLate = elapsedMs > untilMs - UNKNOWN_MARGIN_MS || isAlmostOver();
    const looking = account.findEmail?.({ intentId, since, ...tenant }, { signal: cancellationSignal() });
    const found = await (isTooLate ? looking?.catch(() => undefined) : looking);
    if (found !== undefined) return found.id;
    if (isTooLate) throw sendOutcomeUnknown(tenantId, unknown);
    if (once.kind === 'key') return undefined;
    throw notYet(
      'EmailMayBeSent',
      `${provider} may have accepted the email to ${recipient} at ${since}: its answer was lost. Looking for the email; it is not sent again.`,
      nextEmailLookMs(elapsedMs, once.settleMs),
    );
  }

  /**
   * At an operator's account. While the provider remembers the Idempotency-Key, a repetition is safe. At one that knows none, an email
   * that may have been accepted is looked for, and never sent again.
   */
  async function sendOnce(step: FirstEmailStepInput, provider: ProviderName, contentKey: string): Promise<SentEmail> {
    const { tenantId, attemptId, firstEmail, fromAddress, fromName } = step;
    const { intents } = operatorAccounts;
    const account = accountAt(provider, operatorAccounts);
    const tenant = await markedTenant(tenantId, provider, dependencies);
    const key: IntentKey = { provider, kind: 'email', subject: contentKey };
    const releases = await intents.releasesOf(key, tenantId);
    // The provider may still know the key of the email whose outcome is unknown, and would answer with that one.
    const idempotencyKey = releases === 0 ? contentKey : `${contentKey}/${String(releases + 1)}`;
    const intentId = intentIdOf(idempotencyKey, operatorAccounts);
    const { resourceId, notedAt, isNew } = await intents.note(key, { ...step, notedAt: timeOfAttempt(), intentId });
    if (resourceId !== null) return { emailId: resourceId };
    const unknown: FailureDetails['SendOutcomeUnknown'] = { recipient: firstEmail.recipient, since: notedAt, provider };
    const earlierId = isNew ? undefined : await lookForEmail({ tenantId, unknown, intentId, tenant });
    if (earlierId !== undefined) {
      await intents.setMade(key, { resourceId: earlierId, attemptId });
      return { emailId: earlierId };
    }
    let sent: Awaited<ReturnType<OperatorAccount['sendEmail']>>;
    try {
      sent = await account.sendEmail(
        {
          from: { address: fromAddress, ...(fromName !== undefined && { name: fromName }) },
          ...firstEmail,
          ...tenant,
          intentId,
        },
        { idempotencyKey, signal: cancellationSignal() },
      );
    } catch (error) {
      // An earlier request had another sender's name or address: the provider accepted that one, and does not say as what.
      if (error instanceof ProviderError && error.meaning === 'keyReused') throw sendOutcomeUnknown(tenantId, unknown);
      if (isNew && !mayHaveActed(error)) await intents.forget(key);
      throw error;
    }
    if (sent.id === null) {
      await intents.forget(key);
      return { emailId: null, outcome: { status: 'bounced', bounce: sent.bounce } };
    }
    await intents.setMade(key, { resourceId: sent.id, attemptId });
    return { emailId: sent.id };
  }

  return {
    /**
     * Throws EMAIL_NOT_SENT if the onboarding is to stop and no email can be under way.
     *
     * POST /emails, and GET /emails/{id} once if the answer has no outcome and leaves time for it. Never sends the same recipient,
     * subject and body twice for a tenant, not even after a restart.
     */
    async sendFirstEmail(step: FirstEmailStepInput): Promise<SentEmail> {
      const { tenantId, senderId, firstEmail, cancelRequested = false, mayBeSent = true, provider } = step;
      if (cancelRequested && !mayBeSent)
        throw ApplicationFailure.nonRetryable('The onboarding was cancelled before its first email', EMAIL_NOT_SENT);
      const { recipient, subject, body } = firstEmail;
      const contentHash = createHash('sha256')
        .update(JSON.stringify([recipient, subject, body]))
        .digest('hex');
      const idempotencyKey = emailIdempotencyKey(tenantId, contentHash);
      if (provider !== undefined) return sendOnce(step, provider, idempotencyKey);
      const account = await tenantAccount(tenantId, dependencies);
      const startedAt = performance.now();
      try {
        const email = await account.sendEmail(
          { senderId, recipient, subject, body },
          {
            idempotencyKey,
            signal: cancellationSignal(),
            waitSeconds: ATTEMPT_WAIT_SECONDS,
          },
        );
        if (cancelRequested) return { emailId: email.id };
        const hasWaited = performance.now() - startedAt >= ATTEMPT_WAIT_SECONDS * 1_000;
        const outcome = outcomeOf(email) ?? (hasWaited ? undefined : await outcomeNow(account, email.id));
        return { emailId: email.id, ...(outcome && { outcome }) };
      } catch (error) {
        // An earlier onboarding sent the same content from a sender deleted since: that email is the first email.
        if (!(error instanceof ProviderError) || error.meaning !== 'keyReused' || error.existingId === undefined)
          throw error;
        return { emailId: error.existingId };
      }
    },

    /** GET /emails/{id}. Each attempt fails with the last status until it is final. */
    async awaitEmailOutcome({ waitingSince, ...check }: EmailCheckInput & PollInput): Promise<EmailOutcome> {
      const email = await getEmail(check);
      if (email === undefined) return { status: 'gone' };
      const outcome = outcomeOf(email);
      if (outcome !== undefined) return outcome;
      const lastAttempt = email.lastAttempt === null ? 'no attempt is reported' : `last attempt ${email.lastAttempt}`;
      const delayMs = pollDelayMs(waitingSince, nextDeliveryCheckMs);
      throw notYet('EmailNotYetFinal', `Email is ${email.status}; ${lastAttempt}.`, delayMs);
    },

    /** GET /emails/{id} once; `outcome` is null unless the status is final. */
    async checkEmail(check: EmailCheckInput): Promise<{ status: string; outcome: EmailOutcome | null }> {
      const email = await getEmail(check);
      if (email === undefined) return { status: 'gone', outcome: { status: 'gone' } };
      return { status: email.status, outcome: outcomeOf(email) ?? null };
    },
  };
}

const sendOutcomeUnknown = (tenantId: string, details: FailureDetails['SendOutcomeUnknown']): ApplicationFailure =>
  expectedFailure({
    type: 'SendOutcomeUnknown' satisfies FailureType,
    nonRetryable: true,
    message: `${details.provider} may have accepted the email to ${details.recipient} at ${details.since}: its answer was lost, and it neither recognizes a repetition nor shows the email. It is not sent again. Look at ${details.provider}; if the email is not there, release it with: sendoff release-email ${tenantId} --reason TEXT`,
    details: [details],
  });

/** At a provider that reports emails by webhook alone. */
const unreported = (id: string): ProviderEmail => ({
  ...{ id, status: 'accepted', deliveredAt: null, bounce: null, lastAttempt: null },
});

/** A webhook says why an email bounced and when it was delivered, which the answer of some providers does not. */
const explained = (email: ProviderEmail, reported: ReportedEmail | undefined): ProviderEmail =>
  reported?.status === email.status
    ? {
        ...email,
        bounce: reported.bounce ?? email.bounce,
        deliveredAt: email.deliveredAt ?? reported.deliveredAt,
      }
    : email;

function outcomeOf({ status, deliveredAt, bounce }: ProviderEmail): EmailOutcome | undefined {
  if (status === 'delivered') return { status, deliveredAt };
  if (status === 'bounced') return { status, bounce: bounce ?? bounceOf({ reason: 'The provider gives no reason' }) };
  return undefined;
}
