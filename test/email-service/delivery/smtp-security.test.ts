import { describe, expect, test } from 'vitest';
import { createIdleSessions } from '../../../src/email-service/delivery/idle-sessions.ts';
import { sendOverSmtp } from '../../../src/email-service/delivery/smtp-session.ts';
import { endWithTest } from '../../support/end-with-test.ts';
import { context, deliverTo, deliverToRelay, message } from '../support/deliver-over-smtp.ts';
import { startScriptedSmtpServer, type SmtpAnswer, type SmtpStep } from '../support/scripted-smtp-server.ts';
import { startTlsReceiver } from '../support/tls-receiver.ts';

const OFFERS_STARTTLS = '250-mx.inbox.test\r\n250 STARTTLS';

const scripted = async (script: Partial<Record<SmtpStep, SmtpAnswer>>) =>
  endWithTest(await startScriptedSmtpServer(script));

describe('STARTTLS at a recipient’s server', () => {
  test('is used if offered, with any certificate', async () => {
    const { port, secure, users } = await startTlsReceiver();
    expect(await deliverTo(port)(message, context())).toMatchObject({ kind: 'delivered' });
    expect([secure, users]).toEqual([[true], [false]]);
  });

  test.each([
    ['the handshake is cut off', { handshake: 'hangUp' }],
    ['the handshake is answered with something else', { handshake: 'this is not TLS, and long enough to be read' }],
    ['the offer is taken back', { starttls: '454 4.7.0 TLS not available' }],
  ] as const)('does not keep the email from being delivered when %s', async (_, script) => {
    const server = await scripted({ ehlo: OFFERS_STARTTLS, ...script });
    expect(await deliverTo(server.port)(message, context())).toMatchObject({ kind: 'delivered' });
    expect(server.messages).toHaveLength(1);
    expect(server.commands.filter((command) => command === 'STARTTLS')).toHaveLength(1);
  });
});

describe('plain text that a server sends after its 220 to STARTTLS', () => {
  test('is never read as a reply over TLS', async () => {
    const server = await scripted({ ehlo: OFFERS_STARTTLS, starttls: '220 2.0.0 go ahead\r\n250 mx.inbox.test' });
    const target = { host: 'mx.inbox.test', address: '127.0.0.1', port: server.port, security: 'required' } as const;
    expect(await sendOverSmtp(target, message, context(), createIdleSessions())).toMatchObject({
      kind: 'unusable',
      tlsFailed: true,
    });
    expect(server.messages).toEqual([]);
  });
});

describe('a relay', () => {
  test('receives all mail, including mail for domains without a mail server', async () => {
    const server = await scripted({});
    const deliver = deliverToRelay(`smtp://127.0.0.1:${String(server.port)}`);
    expect(await deliver({ ...message, recipient: 'x@nowhere.invalid' }, context())).toMatchObject({
      kind: 'delivered',
      remoteMta: '127.0.0.1',
    });
    expect(server.commands).toContain('RCPT TO:<x@nowhere.invalid>');
  });

  test('without TLS never receives the password', async () => {
    const server = await scripted({ ehlo: '250-relay.test\r\n250 AUTH PLAIN' });
    const deliver = deliverToRelay(`smtp://user:secret@127.0.0.1:${String(server.port)}`);
    const result = await deliver(message, context());
    expect(result).toMatchObject({ kind: 'deferred' });
    expect(server.commands.filter((command) => command.startsWith('AUTH'))).toEqual([]);
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  test.each(['smtp', 'smtps'])(
    'over %s with a certificate that nobody vouches for is never told the password',
    async (scheme) => {
      const { port, secure } = await startTlsReceiver({ secure: scheme === 'smtps' });
      const result = await deliverToRelay(`${scheme}://user:secret@127.0.0.1:${String(port)}`)(message, context());
      expect(result).toMatchObject({ kind: 'deferred', diagnostic: expect.stringMatching(/certificate/i) });
      expect(secure).toEqual([]);
    },
  );
});

describe('a session with credentials', () => {
  const session = async (script: Partial<Record<SmtpStep, SmtpAnswer>>) => {
    const server = await scripted({ ehlo: '250-relay.test\r\n250 AUTH PLAIN', ...script });
    const credentials = { user: 'user', pass: 'secret' };
    const target = {
      host: 'relay.test',
      address: '127.0.0.1',
      port: server.port,
      security: 'none',
      credentials,
    } as const;
    return { server, outcome: await sendOverSmtp(target, message, context(), createIdleSessions()) };
  };

  test('logs in before the envelope', async () => {
    const { server, outcome } = await session({});
    expect(outcome).toMatchObject({ kind: 'accepted' });
    const login = `AUTH PLAIN ${Buffer.from('\0user\0secret').toString('base64')}`;
    expect(server.commands.slice(0, 3)).toEqual([
      'EHLO mail.sendoff.test',
      login,
      'MAIL FROM:<eml_1@bounce.acme.test>',
    ]);
  });

  test.each(['PLAIN', 'LOGIN', 'CRAM-MD5'])('logs in with %s if the server offers it', async (method) => {
    const { port, secure, users } = await startTlsReceiver({ authMethods: [method] });
    const credentials = { user: 'user', pass: 'secret' };
    const target = { host: '127.0.0.1', address: '127.0.0.1', port, security: 'opportunistic', credentials } as const;
    expect(await sendOverSmtp(target, message, context(), createIdleSessions())).toMatchObject({ kind: 'accepted' });
    expect([secure, users]).toEqual([[true], ['user']]);
  });

  test('redacts credentials that a server repeats in its reply', async () => {
    const login = Buffer.from('\0user\0secret').toString('base64');
    const { outcome } = await session({ auth: `500 5.5.2 cannot understand AUTH PLAIN ${login}` });
    expect(outcome).toMatchObject({ kind: 'unusable', reply: { text: 'cannot understand AUTH PLAIN …' } });
    expect(JSON.stringify(outcome)).not.toContain(login);
  });

  test('whose credentials are refused defers the email: the relay is at fault, not the email', async () => {
    const { outcome } = await session({ auth: '535 5.7.8 wrong' });
    expect(outcome).toMatchObject({ kind: 'unusable', reply: { replyCode: 535, enhancedCode: '5.7.8' } });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });
});
