export { applyRetention } from './apply-retention.ts';
export { deliverEmail } from './deliver-email.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { sweepOutbox } from './sweep-outbox.ts';
export { verifyDomain } from './verify-domain.ts';
