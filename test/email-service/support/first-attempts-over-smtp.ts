import { pino, type Logger } from 'pino';
import { createAttemptDelivery } from '../../../src/email-service/activities/attempt-delivery.ts';
import {
  createFirstAttempts,
  type FirstAttemptLimits,
  type FirstAttempts,
} from '../../../src/email-service/background/first-attempts.ts';
import type { Store } from '../../../src/email-service/store/open-store.ts';
import type { Sealer } from '../../../src/lib/sealing.ts';
import { deliverTo } from './deliver-over-smtp.ts';
import { processParts } from './process-parts.ts';

const ROOMY: FirstAttemptLimits = { running: 10, runningForOne: 10, held: 10, heldForOne: 10, waitMs: 60_000 };

export interface FirstAttemptsParts {
  readonly store: Store;
  readonly sealer: Sealer;
  /** Of the mail server of every recipient, on this machine. */
  readonly smtpPort: number;
  readonly dispatcher?: { dispatchSoon(): void };
  readonly logger?: Logger;
  readonly now?: () => Date;
  readonly limits?: Partial<FirstAttemptLimits>;
  readonly deliverWebhook?: (input: { readonly eventId: string }) => Promise<unknown>;
}

/** The first attempts of one process, without its Workflows. */
export function firstAttemptsOverSmtp({
  store,
  sealer,
  smtpPort,
  dispatcher = { dispatchSoon: () => undefined },
  logger = pino({ level: 'silent' }),
  now = () => new Date(),
  limits,
  deliverWebhook = () => Promise.reject(new Error('not part of these tests')),
}: FirstAttemptsParts): FirstAttempts {
  const parts = { ...processParts({ store, sealer }), logger, now };
  const deliverEmail = createAttemptDelivery({ ...parts, deliverMessage: deliverTo(smtpPort) });
  return createFirstAttempts({
    store,
    attempts: {
      deliverEmail,
      deliverWebhook,
      verifyDomain: () => Promise.reject(new Error('not part of these tests')),
    },
    dispatcher,
    logger,
    limits: { ...ROOMY, ...limits },
    graceMs: 100,
  });
}
