import {
  createDeliverMessage,
  type DeliverMessage,
  type DeliverMessageOptions,
  type DeliveryResult,
} from '../../../src/email-service/delivery/deliver-message.ts';
import type { SessionContext } from '../../../src/email-service/delivery/smtp-session.ts';

/** A message to deliver; each test changes one field. */
export const message = {
  envelopeFrom: 'eml_1@bounce.acme.test',
  recipient: 'person@inbox.test',
  signedMessage: 'From: <orders@acme.test>\r\nSubject: Hello\r\n\r\n.Hello\r\n',
  attempt: 1,
  tls: 'opportunistic',
} as const;

/** Of an attempt that nothing interrupts. */
export const context = (): SessionContext => ({
  hostname: 'mail.sendoff.test',
  signal: new AbortController().signal,
  mayStillSend: async () => true,
});

/** Of an attempt whose message the receiver has accepted. */
export const accepted: DeliveryResult = {
  kind: 'delivered',
  remoteMta: 'mx.inbox.test',
  reply: { replyCode: 250, enhancedCode: undefined, text: 'kept' },
};

/** Delivers to the mail servers of every recipient's domain on this port of the addresses, without DNS. */
export const deliverTo = (
  smtpPort: number,
  {
    addresses = ['127.0.0.1'],
    ...options
  }: { readonly addresses?: readonly string[] } & Pick<DeliverMessageOptions, 'trusted'> = {},
): DeliverMessage =>
  createDeliverMessage({
    smtpPort,
    smtpRelayUrl: undefined,
    findMailRoute: async () => ({
      kind: 'hosts',
      hosts: addresses.map((address) => ({ name: 'mx.inbox.test', address })),
    }),
    ...options,
  });

export const deliverToRelay = (smtpRelayUrl: string): DeliverMessage =>
  createDeliverMessage({
    smtpPort: 1,
    smtpRelayUrl,
    findMailRoute: () => Promise.reject(new Error('a relay needs no route')),
  });
