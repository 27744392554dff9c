import { pino, type Logger } from 'pino';
import { createAttemptDelivery } from '../../../src/email-service/activities/attempt-delivery.ts';
import {
  createFirstAttempts,
  type FirstAttemptLimits,
  type FirstAttempts,
} from '../../../src/email-service/background/first-attempts.ts';
import { idleBackground } from './idle-background.ts';
import { createDeliverMessage } from '../../../src/email-service/delivery/deliver-message.ts';
import type { Store } from '../../../src/email-service/store/open-store.ts';
import type { Sealer } from '../../../src/lib/sealing.ts';

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
  const deliverEmail = createAttemptDelivery({
    store,
    sealer,
    deliverMessage: createDeliverMessage({
      smtpPort,
      smtpRelayUrl: undefined,
      findMailRoute: async () => ({ kind: 'hosts', hosts: [{ name: 'mx.inbox.test', address: '127.0.0.1' }] }),
    }),
    hostname: 'mail.sendoff.test',
    beginner: idleBackground,
    unrecorded: new Map(),
    pauseBounceRate: 0.1,
    logger,
    now,
  });
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
