import { cancellationSignal } from '@temporalio/activity';
import { createHash } from 'node:crypto';
import type { ProviderBounce } from '../email-provider/email-provider.ts';
import { ProviderError } from '../email-provider/provider-error.ts';
import { emailIdempotencyKey } from '../onboarding/ids.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import { nextDeliveryLookMs } from '../onboarding/polling-schedule.ts';
import { accountOf } from './account-of.ts';
import type { ActivityDependencies, StepInput } from './index.ts';
import { notYet, type PollInput } from './not-yet.ts';

export interface FirstEmailStepInput extends StepInput {
  readonly senderId: string;
  readonly firstEmail: OnboardTenantInput['firstEmail'];
}

export interface EmailWaitInput extends PollInput {
  readonly tenantId: string;
  readonly emailId: string;
}

export type EmailOutcome =
  | { readonly status: 'delivered'; readonly deliveredAt: string | null }
  | { readonly status: 'bounced'; readonly bounce: ProviderBounce };

export function firstEmailActivities(dependencies: Pick<ActivityDependencies, 'provider' | 'secrets'>) {
  return {
    /** POST /emails. The same recipient, subject and body are never sent twice for a tenant, not by a restart either. */
    async sendFirstEmail({ tenantId, senderId, firstEmail }: FirstEmailStepInput): Promise<{ emailId: string }> {
      const { recipient, subject, body } = firstEmail;
      const contentHash = createHash('sha256')
        .update(JSON.stringify([recipient, subject, body]))
        .digest('hex');
      const account = await accountOf(tenantId, dependencies);
      try {
        const email = await account.sendEmail(
          { senderId, recipient, subject, body },
          { idempotencyKey: emailIdempotencyKey(tenantId, contentHash), signal: cancellationSignal() },
        );
        return { emailId: email.id };
      } catch (error) {
        // The same content went out before, from a sender that was deleted since: that email is the first email.
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

    /** GET /emails/{id} until it is final; until then each attempt fails with what holds it up. */
    async awaitEmailOutcome({ tenantId, emailId, ...wait }: EmailWaitInput): Promise<EmailOutcome> {
      const account = await accountOf(tenantId, dependencies);
      const email = await account.getEmail(emailId, { signal: cancellationSignal() });
      if (email.status === 'delivered') return { status: 'delivered', deliveredAt: email.deliveredAt };
      if (email.status === 'bounced') return { status: 'bounced', bounce: email.bounce ?? unexplainedBounce };
      const lastAttempt = email.lastAttempt === null ? 'no attempt yet' : `last attempt ${email.lastAttempt}`;
      return notYet('EmailNotYetFinal', `Email is ${email.status}; ${lastAttempt}.`, {
        ...wait,
        nextLookMs: nextDeliveryLookMs,
      });
    },
  };
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
