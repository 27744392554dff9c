import { requiring, withCheckedInput } from '../../lib/workflow-waits/with-checked-input.ts';
import { deliverEmail as deliver } from './deliver-email.ts';
import { deliverWebhook as post } from './deliver-webhook.ts';
import { verifyDomain as verify } from './verify-domain.ts';

// Without an input.
export { applyRetention } from './apply-retention.ts';
export { sweepOutbox } from './sweep-outbox.ts';

export const deliverEmail = withCheckedInput(deliver, requiring({ emailId: 'text' }));
export const deliverWebhook = withCheckedInput(post, requiring({ eventId: 'text', webhookId: 'text' }));
export const verifyDomain = withCheckedInput(
  verify,
  requiring({ domainId: 'text', watchUntil: 'a number, or absent' }),
);
