import type { EmailServiceConfig } from '../../../src/email-service/config.ts';

const DAY_MS = 86_400_000;

export const defaultRetention: EmailServiceConfig['retention'] = {
  emailContentMs: 30 * DAY_MS,
  emailsMs: 90 * DAY_MS,
  eventsMs: 90 * DAY_MS,
  deletedMs: 90 * DAY_MS,
  idempotencyKeysMs: 30 * DAY_MS,
};
