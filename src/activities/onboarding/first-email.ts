import { cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { createHash } from 'node:crypto';
import type { AccountProvider, ProviderBounce, ProviderEmail } from '../../email-provider/email-provider.ts';
import { ProviderError } from '../../email-provider/provider-error.ts';
import { EMAIL_NOT_SENT } from '../../onboarding/email-not-sent.ts';
import { emailIdempotencyKey } from '../../onboarding/onboarding-ids.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import { nextDeliveryCheckMs } from '../../onboarding/polling-schedule.ts';
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
  /** Whether a Workflow Task that was lost may have sent it: then only a repetition finds its id. */
  readonly mayBeSent?: boolean;
}

export interface SentEmail {
  readonly emailId: string;
  /** Absent unless the email's status is already final, or if the onboarding is to stop. */
  readonly outcome?: EmailOutcome;
}

export interface EmailCheckInput extends StepInput {
  readonly emailId: string;
}

/** `gone`: the provider accepted the email and now keeps reporting that it does not exist. */
export type EmailOutcome =
  | { readonly status: 'delivered'; readonly deliveredAt: string | null }
  | { readonly status: 'bounced'; readonly bounce: ProviderBounce }
  | { readonly status: 'gone' };

/** A quick attempt takes at most four seconds. POST asks for this wait; GET follows only an answer that took less, and has a timeout. */
const ATTEMPT_WAIT_SECONDS = 2;
const OUTCOME_TIMEOUT_MS = 1_000;

/** Undefined if the status is not final or the provider does not answer: the provider has accepted the email, and the wait asks again. */
async function outcomeNow(account: AccountProvider, emailId: string): Promise<EmailOutcome | undefined> {
  const email = await optionalCall(OUTCOME_TIMEOUT_MS, (signal) => account.getEmail(emailId, { signal }));
  return email && outcomeOf(email);
}

export function firstEmailActivities(dependencies: Pick<ActivityDependencies, 'provider' | 'secrets'>) {
  /** Undefined if the provider has reported for minutes that the email does not exist. */
  async function getEmail({
    tenantId,
    emailId,
  }: Pick<EmailCheckInput, 'tenantId' | 'emailId'>): Promise<ProviderEmail | undefined> {
    const account = await tenantAccount(tenantId, dependencies);
    try {
      return await account.getEmail(emailId, { signal: cancellationSignal() });
    } catch (error) {
      if (error instanceof ProviderError && error.meaning === 'gone' && isConfirmed(error)) return undefined;
      throw error;
    }
  }

  return {
    /**
     * Throws EMAIL_NOT_SENT if the onboarding is to stop and no email can be under way.
     *
     * POST /emails, and GET /emails/{id} once if the answer has no outcome and leaves time for it. Never sends the same recipient,
     * subject and body twice for a tenant, not even after a restart.
     */
    async sendFirstEmail({
      tenantId,
      senderId,
      firstEmail,
      cancelRequested = false,
      mayBeSent = true,
    }: FirstEmailStepInput): Promise<SentEmail> {
      if (cancelRequested && !mayBeSent)
        throw ApplicationFailure.nonRetryable('The onboarding was cancelled before its first email', EMAIL_NOT_SENT);
      const { recipient, subject, body } = firstEmail;
      const contentHash = createHash('sha256')
        .update(JSON.stringify([recipient, subject, body]))
        .digest('hex');
      const account = await tenantAccount(tenantId, dependencies);
      const startedAt = performance.now();
      try {
        const email = await account.sendEmail(
          { senderId, recipient, subject, body },
          {
            idempotencyKey: emailIdempotencyKey(tenantId, contentHash),
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
        if (
          !(error instanceof ProviderError) ||
          error.code !== 'idempotency_key_reused' ||
          error.existingId === undefined
        ) {
          throw error;
        }
        return { emailId: error.existingId };
      }
    },

    /** GET /emails/{id}. Each attempt fails with the last status until it is final. */
    async awaitEmailOutcome({ waitingSince, ...check }: EmailCheckInput & PollInput): Promise<EmailOutcome> {
      const email = await getEmail(check);
      if (email === undefined) return { status: 'gone' };
      const outcome = outcomeOf(email);
      if (outcome !== undefined) return outcome;
      const lastAttempt = email.lastAttempt === null ? 'no attempt yet' : `last attempt ${email.lastAttempt}`;
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

function outcomeOf({ status, deliveredAt, bounce }: ProviderEmail): EmailOutcome | undefined {
  if (status === 'delivered') return { status, deliveredAt };
  if (status === 'bounced') return { status, bounce: bounce ?? unexplainedBounce };
  return undefined;
}

/** A provider may report a bounce without a reason. */
const unexplainedBounce: ProviderBounce = {
  category: 'unknown',
  permanentFor: null,
  reason: 'The provider gives no reason',
  smtpCode: null,
  enhancedCode: null,
  diagnostic: null,
  remoteMta: null,
};
