import { type TObject, Type } from 'typebox';
import { describeWebhooks } from '../../../lib/http/describe-webhooks.ts';
import { AccountEventData } from '../../resources/account.ts';
import { DomainResource } from '../../resources/domain.ts';
import { EmailResource } from '../../resources/email.ts';
import type { EventType } from '../../resources/event.ts';

/** The resource as `webhookBody` posts it. */
const posted = (resource: TObject) => {
  const { id, status } = resource.properties;
  if (id === undefined || status === undefined) throw new Error('a resource without id and status');
  return Type.Object({
    ...Type.Partial(resource).properties,
    ...{ id, status },
    left_out: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The fields that the body, limited to 20,000 bytes, has no room for, or `*`: all but `id` and `status`. GET of the resource returns them.',
      }),
    ),
  });
};

const email = posted(EmailResource);
const domain = posted(DomainResource);
const account = posted(AccountEventData);

/** The `data` of each type, and when it happens. */
export const webhookData = {
  'email.delivered': { summary: 'The receiving server accepted the email.', data: email },
  'email.bounced': { summary: 'The email was refused, or expired.', data: email },
  'email.deferred': { summary: 'An attempt to deliver the email failed; another follows.', data: email },
  'email.late_bounced': {
    summary: 'A server that had accepted the email reported that it cannot deliver it. Its status stays `delivered`.',
    data: email,
  },
  'email.complained': { summary: 'The recipient, or their provider, complained about the email.', data: email },
  'domain.verified': { summary: 'Every required record of the domain was found.', data: domain },
  'domain.drifted': {
    summary:
      'A required record of a verified domain is lost: the domain sends until `sends_until`, or no longer if its status is `not_verified`.',
    data: domain,
  },
  'domain.recovered': { summary: 'Every required record of the domain was found again.', data: domain },
  'domain.dkim_rotated': {
    summary:
      'The new DKIM key of the domain signs; the record of the old one must stay published until its `remove_after`.',
    data: domain,
  },
  'account.warned': {
    summary: 'So many emails of the account bounce that it will be paused if that goes on.',
    data: account,
  },
  'account.paused': { summary: 'The operator or its bounce rate paused the account: it sends nothing.', data: account },
  'account.resumed': { summary: 'The operator resumed the account.', data: account },
} as const satisfies Record<EventType, { summary: string; data: TObject }>;

export const webhooks = describeWebhooks(webhookData);
