import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createIdleSessions,
  type IdleSessions,
  type SessionTarget,
} from '../../../src/email-service/delivery/idle-sessions.ts';
import { SmtpConnection } from '../../../src/email-service/delivery/smtp-connection.ts';
import { sendOverSmtp } from '../../../src/email-service/delivery/smtp-session.ts';
import { context, message } from '../support/deliver-over-smtp.ts';
import { startScriptedSmtpServer, type ScriptedSmtpServer } from '../support/scripted-smtp-server.ts';

let server: ScriptedSmtpServer;
let idleSessions: IdleSessions;
beforeEach(async () => {
  server = await startScriptedSmtpServer();
  idleSessions = createIdleSessions();
});
afterEach(async () => {
  idleSessions.close();
  await server.stop();
});

const send = (target: Partial<SessionTarget> = {}, signal = new AbortController().signal) =>
  sendOverSmtp(
    { host: 'mx.inbox.test', address: '127.0.0.1', port: server.port, security: 'opportunistic', ...target },
    message,
    { ...context(), signal },
    idleSessions,
  );

const count = (command: string) => server.commands.filter((each) => each.startsWith(command)).length;
const sessions = () => count('EHLO');

describe('a session whose message the server has accepted', () => {
  test('sends the next message to the same server', async () => {
    for (let number = 1; number <= 3; number += 1) expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(server.messages).toHaveLength(3);
    expect(sessions()).toBe(1);
    expect(count('MAIL FROM')).toBe(3);
  });

  test.each([
    ['MX host at the same address', { host: 'mx2.inbox.test' }],
    ['protection', { security: 'none' }],
    ['login', { credentials: { user: 'other', pass: 'secret' } }],
  ] as const)('is not used for another %s', async (_what, target) => {
    await send();
    await send(target);
    await send();
    expect(sessions()).toBe(2);
  });

  test('carries one message at a time', async () => {
    await Promise.all([send(), send()]);
    expect(sessions()).toBe(2);
    await Promise.all([send(), send()]);
    expect(sessions()).toBe(2);
    expect(server.messages).toHaveLength(4);
  });

  test('ends after ten messages', async () => {
    for (let number = 1; number <= 11; number += 1) await send();
    expect(server.messages).toHaveLength(11);
    expect(sessions()).toBe(2);
    expect(count('QUIT')).toBe(1);
  });

  test('ends when it has been idle for two seconds', async () => {
    await send();
    await expect.poll(() => count('QUIT'), { timeout: 4_000 }).toBe(1);
    await send();
    expect(sessions()).toBe(2);
  });

  test.each([
    [
      'says something',
      () => {
        server.say('421 4.4.2 timeout');
      },
    ],
    [
      'closes the connection',
      () => {
        server.closeConnections();
      },
    ],
  ])('ends at once when its server %s', async (_what, happens) => {
    const ended = vi.spyOn(SmtpConnection.prototype, 'close');
    await send();
    expect(ended).not.toHaveBeenCalled();
    happens();
    await expect.poll(() => ended.mock.calls.length, { timeout: 1_500, interval: 10 }).toBe(1);
    ended.mockRestore();
  });

  test('is one of at most ten at an address', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, number) => send({ host: `mx${String(number)}.inbox.test` })));
    expect(sessions()).toBe(12);
    await expect.poll(() => count('QUIT'), { timeout: 1_500 }).toBe(2);
  });

  test('ends when the program stops, as do those that become idle later', async () => {
    await send();
    idleSessions.close();
    await expect.poll(() => count('QUIT')).toBe(1);
    await send();
    await expect.poll(() => count('QUIT')).toBe(2);
  });
});

describe('an idle session that its server has ended', () => {
  test('costs the message no attempt if the server says so', async () => {
    await send();
    server.say('421 4.4.2 timeout');
    expect(await send()).toMatchObject({ kind: 'accepted' });
    expect(server.messages).toHaveLength(2);
  });

  test.each([
    ['by closing the connection', { mail: 'hangUp' }, undefined],
    ['by a refusal of one more sender', { mail: '452 4.5.3 too many messages' }, 452],
    ['by a 421', { mail: '421 4.7.0 closing' }, 421],
  ] as const)('is followed by a new one when it does so %s', async (_how, answer, replyCode) => {
    await send();
    server.answer(answer);
    const outcome = await send();
    expect(sessions()).toBe(2);
    if (replyCode !== undefined) expect(outcome).toMatchObject({ reply: { replyCode } });
    expect(server.messages).toHaveLength(1);
  });
});

describe('a message in a used session', () => {
  test.each([
    ['the connection ends', { rcpt: 'hangUp' }],
    ['the server is closing', { data: '421 4.3.2 shutting down' }],
    ['the server takes no more messages in it', { rcpt: '451 4.5.3 no more transactions' }],
  ] as const)('is sent in a new one if %s before DATA is answered', async (_what, answer) => {
    await send();
    server.answer(answer);
    await send();
    expect(sessions()).toBe(2);
  });

  test('is not sent again in another one after its recipient was refused', async () => {
    await send();
    server.answer({ rcpt: '450 4.2.1 later' });
    expect(await send()).toMatchObject({ kind: 'refused', command: 'RCPT TO' });
    expect(sessions()).toBe(1);
    server.answer({ rcpt: '250 2.1.5 ok' });
    await send();
    expect(sessions()).toBe(2);
  });

  test('has an unknown outcome if its reply is lost after the final dot', async () => {
    await send();
    server.answer({ message: 'hangUp' });
    expect(await send()).toMatchObject({ kind: 'replyLost' });
    expect(server.messages).toHaveLength(2);
    expect(sessions()).toBe(1);
  });

  test('is not sent in a new session once its attempt was aborted', async () => {
    await send();
    server.answer({ mail: 'silence' });
    const abort = new AbortController();
    const sending = send({}, abort.signal);
    await expect.poll(() => count('MAIL FROM')).toBe(2);
    abort.abort();
    expect(await sending).toMatchObject({ kind: 'unusable', diagnostic: 'The attempt was aborted.' });
    expect(sessions()).toBe(1);
  });
});
