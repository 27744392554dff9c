import { cancellationSignal } from '@temporalio/activity';
import { createHash } from 'node:crypto';
import type { ProviderBounce, ProviderEmail } from '../email-provider/email-provider.ts';
import { ProviderError } from '../email-provider/provider-error.ts';
import { emailIdempotencyKey } from '../onboarding/onboarding-ids.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { nextDeliveryCheckMs } from '../onboarding/polling-schedule.ts';
import { tenantAccount } from './tenant-account.ts';
import { isConfirmed } from './confirmed-answer.ts';
import type { StepInput } from './step-input.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import { notYet } from '../lib/temporal/not-yet.ts';
import { pollDelayMs, type PollInput } from './poll-delay.ts';

export interface FirstEmailStepInput extends StepInput {
  readonly senderId: string;
  readonly firstEmail: OnboardTenantInput['firstEmail'];
}

export interface EmailCheckInput extends StepInput {
  readonly emailId: string;
}

/** `gone`: the provider accepted the email and now keeps reporting that it does not exist. */
export type EmailOutcome =
  | { readonly status: 'delivered'; readonly deliveredAt: string | null }
  | { readonly status: 'bounced'; readonly bounce: ProviderBounce }
  | { readonly status: 'gone' };

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
    /** POST /emails. Never sends the same recipient, subject and body twice for a tenant, not even after a restart. */
    async sendFirstEmail({ tenantId, senderId, firstEmail }: FirstEmailStepInput): Promise<{ emailId: string }> {
      const { recipient, subject, body } = firstEmail;
      const contentHash = createHash('sha256')
        .update(JSON.stringify([recipient, subject, body]))
        .digest('hex');
      const account = await tenantAccount(tenantId, dependencies);
      try {
        const email = await account.sendEmail(
          { senderId, recipient, subject, body },
          { idempotencyKey: emailIdempotencyKey(tenantId, contentHash), signal: cancellationSignal() },
        );
        return { emailId: email.id };
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
  reason: 'The provider gives no reason',
  smtpCode: null,
  enhancedCode: null,
  diagnostic: null,
  remoteMta: null,
};
