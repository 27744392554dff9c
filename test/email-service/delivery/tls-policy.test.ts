// Against a real SMTP server with STARTTLS, under a certificate authority of the test.
import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDeliverMessage, type DeliveryResult } from '../../../src/email-service/delivery/deliver-message.ts';
import { type CertificateAuthority, createCertificateAuthority } from '../../support/certificate-authority.ts';
import { startScriptedSmtpServer } from '../support/scripted-smtp-server.ts';

const MX = 'mx.inbox.test';

let authority: CertificateAuthority;
let stranger: CertificateAuthority;
beforeAll(() => {
  authority = createCertificateAuthority();
  stranger = createCertificateAuthority();
});
afterAll(() => {
  authority.end();
  stranger.end();
});

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The port of a server, and whether each message that it took came over TLS. */
async function receiver(options: SMTPServerOptions) {
  const secure: boolean[] = [];
  const server = new SMTPServer({
    ...{ logger: false, closeTimeout: 100, authOptional: true, disableReverseLookup: true },
    onData: (stream, session, callback) => {
      stream.resume().on('end', () => {
        secure.push(session.secure);
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  ends.push(
    () =>
      new Promise<void>((resolve) => {
        server.close(resolve);
      }),
  );
  return { port: (listening.address() as { port: number }).port, secure };
}

function deliver(smtpPort: number, tls: 'opportunistic' | 'required', relay?: string): Promise<DeliveryResult> {
  const send = createDeliverMessage({
    smtpPort,
    smtpRelayUrl: relay,
    trusted: authority.certificate,
    findMailRoute: async () => ({ kind: 'hosts', hosts: [{ name: MX, address: '127.0.0.1' }] }),
  });
  const signedMessage = 'From: <orders@acme.test>\r\n\r\nHello\r\n';
  const message = { envelopeFrom: 'eml_1@bounce.acme.test', recipient: 'person@inbox.test', signedMessage, attempt: 1 };
  const context = { hostname: 'mail.sendoff.test', signal: new AbortController().signal };
  return send({ ...message, tls }, { ...context, mayStillSend: async () => true });
}

const TLS = { version: 'TLSv1.3', cipher: expect.stringMatching(/^TLS_/) as string };

describe('a domain with tls', () => {
  test.each([
    ['opportunistic', true],
    ['required', true],
  ] as const)('%s says that the certificate is valid: %s', async (tls, verified) => {
    const { port, secure } = await receiver(authority.issue(MX));
    expect(await deliver(port, tls)).toMatchObject({ kind: 'delivered', tls: { ...TLS, verified, policy: tls } });
    expect(secure).toEqual([true]);
  });

  const wrong = [
    ['of another name', () => authority.issue('mx.elsewhere.test'), /does not match.*ERR_TLS_CERT_ALTNAME_INVALID/],
    ['that has expired', () => authority.issue(MX, -1), /certificate has expired/],
    ['of an unknown authority', () => stranger.issue(MX), /unable to verify/],
  ] as const;
  test.each(wrong)('opportunistic sends to a server with a certificate %s, and says so', async (_, certificate) => {
    const { port, secure } = await receiver(certificate());
    expect(await deliver(port, 'opportunistic')).toMatchObject({
      kind: 'delivered',
      tls: { ...TLS, verified: false, policy: 'opportunistic' },
    });
    expect(secure).toEqual([true]);
  });

  test.each(wrong)('required sends nothing to a server with a certificate %s', async (_, certificate, reason) => {
    const { port, secure } = await receiver(certificate());
    const result = await deliver(port, 'required');
    expect(result).toMatchObject({ kind: 'deferred', remoteMta: MX, reply: undefined });
    expect(result).toMatchObject({
      diagnostic: expect.stringMatching(/^Not sent, because the sending domain requires TLS: /),
    });
    expect(result).toMatchObject({ diagnostic: expect.stringMatching(reason) });
    expect(secure).toEqual([]);
  });

  test('required sends nothing in plain text, also not after a failed handshake', async () => {
    for (const script of [
      {},
      { ehlo: '250-mx.inbox.test\r\n250 STARTTLS' },
      { ehlo: '250-mx.inbox.test\r\n250 STARTTLS', starttls: '454 4.7.0 TLS not available' },
    ]) {
      const server = await startScriptedSmtpServer(script);
      ends.push(() => server.stop());
      expect(await deliver(server.port, 'required')).toMatchObject({ kind: 'deferred', tls: undefined });
      expect(server.commands.some((command) => command.startsWith('MAIL'))).toBe(false);
      expect(await deliver(server.port, 'opportunistic')).toMatchObject({ kind: 'delivered', tls: undefined });
    }
  });

  test('required reaches a relay only over TLS with a valid certificate', async () => {
    const { port, secure } = await receiver({});
    const relay = `smtp://127.0.0.1:${String(port)}`;
    expect(await deliver(1, 'required', relay)).toMatchObject({ kind: 'deferred' });
    expect(secure).toEqual([]);
    expect(await deliver(1, 'opportunistic', relay)).toMatchObject({ kind: 'delivered' });
  });
});
