// Against a real SMTP server with STARTTLS, under a certificate authority of the test.
import { afterAll, describe, expect, test } from 'vitest';
import { createCertificateAuthority } from '../../support/certificate-authority.ts';
import { endWithTest } from '../../support/end-with-test.ts';
import { context, deliverTo, deliverToRelay, message } from '../support/deliver-over-smtp.ts';
import { startScriptedSmtpServer } from '../support/scripted-smtp-server.ts';
import { startTlsReceiver } from '../support/tls-receiver.ts';

const MX = 'mx.inbox.test';

const authority = createCertificateAuthority();
const stranger = createCertificateAuthority();
afterAll(() => {
  authority.end();
  stranger.end();
});

const deliver = (smtpPort: number, tls: 'opportunistic' | 'required') =>
  deliverTo(smtpPort, { trusted: authority.certificate })({ ...message, tls }, context());

const TLS = { version: 'TLSv1.3', cipher: expect.stringMatching(/^TLS_/) as string };

describe('a domain with tls', () => {
  test.each([
    ['opportunistic', true],
    ['required', true],
  ] as const)('%s says that the certificate is valid: %s', async (tls, verified) => {
    const { port, secure } = await startTlsReceiver(authority.issue(MX));
    expect(await deliver(port, tls)).toMatchObject({ kind: 'delivered', tls: { ...TLS, verified, policy: tls } });
    expect(secure).toEqual([true]);
  });

  const wrong = [
    ['of another name', () => authority.issue('mx.elsewhere.test'), /does not match.*ERR_TLS_CERT_ALTNAME_INVALID/],
    ['that has expired', () => authority.issue(MX, -1), /certificate has expired/],
    ['of an unknown authority', () => stranger.issue(MX), /unable to verify/],
  ] as const;
  test.each(wrong)('opportunistic sends to a server with a certificate %s, and says so', async (_, certificate) => {
    const { port, secure } = await startTlsReceiver(certificate());
    expect(await deliver(port, 'opportunistic')).toMatchObject({
      kind: 'delivered',
      tls: { ...TLS, verified: false, policy: 'opportunistic' },
    });
    expect(secure).toEqual([true]);
  });

  test.each(wrong)('required sends nothing to a server with a certificate %s', async (_, certificate, reason) => {
    const { port, secure } = await startTlsReceiver(certificate());
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
      const server = endWithTest(await startScriptedSmtpServer(script));
      expect(await deliver(server.port, 'required')).toMatchObject({ kind: 'deferred', tls: undefined });
      expect(server.commands.some((command) => command.startsWith('MAIL'))).toBe(false);
      expect(await deliver(server.port, 'opportunistic')).toMatchObject({ kind: 'delivered', tls: undefined });
    }
  });

  test('required reaches a relay only over TLS with a valid certificate', async () => {
    const { port, secure } = await startTlsReceiver();
    const deliver = deliverToRelay(`smtp://127.0.0.1:${String(port)}`);
    expect(await deliver({ ...message, tls: 'required' }, context())).toMatchObject({ kind: 'deferred' });
    expect(secure).toEqual([]);
    expect(await deliver(message, context())).toMatchObject({ kind: 'delivered' });
  });
});
