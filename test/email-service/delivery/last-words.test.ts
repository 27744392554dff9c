import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { DeliveryResult } from '../../../src/email-service/delivery/deliver-message.ts';
import { endWithTest } from '../../support/end-with-test.ts';
import { context, deliverTo, deliverToRelay, message } from '../support/deliver-over-smtp.ts';
import { startScriptedSmtpServer, type SmtpAnswer, type SmtpStep } from '../support/scripted-smtp-server.ts';

afterEach(() => {
  vi.useRealTimers();
});

const scripted = async (script: Partial<Record<SmtpStep, SmtpAnswer>>, listen: { host?: string; port?: number } = {}) =>
  endWithTest(await startScriptedSmtpServer(script, listen));

const LAST_WORDS = [
  ['in one packet with its FIN', { then: 'close' }],
  ['in pieces', { then: 'close', inPieces: true }],
  ['and resets the connection', { then: 'reset' }],
] as const;
/** Without the reset, because the system reports an immediate reset as a failed connect. */
const FIRST_WORDS = LAST_WORDS.filter(([, { then }]) => then === 'close');
const REFUSALS = ['521 5.7.1 go away', '554 5.7.1 go away', '550-5.7.1 go\r\n550 5.7.1 away'];
const cases = (steps: readonly SmtpStep[]) =>
  steps.flatMap((step) =>
    REFUSALS.flatMap((say) => LAST_WORDS.map(([how, rest]) => [say.slice(0, 3), step, how, { say, ...rest }] as const)),
  );

describe('a server that closes behind its reply', () => {
  test.each(cases(['ehlo', 'mail', 'rcpt', 'data', 'message']))(
    'bounces the email with %s to %s, %s',
    async (code, step, _, answer) => {
      const server = await scripted({ [step]: answer });
      expect(await deliverTo(server.port)(message, context())).toMatchObject({
        kind: 'bounced',
        bounce: { smtp_code: Number(code), enhanced_code: '5.7.1', diagnostic: 'go away' },
      });
    },
  );

  test.each(FIRST_WORDS)('accepts no mail at all if it greets with 521, %s (RFC 7504)', async (_, rest) => {
    const server = await scripted({ greeting: { say: '521 mx.inbox.test does not accept mail', ...rest } });
    expect(await deliverTo(server.port)(message, context())).toMatchObject({
      kind: 'bounced',
      bounce: { smtp_code: 521 },
    });
  });

  test.each(FIRST_WORDS)('is read if it greets with 554, %s, and may be tried again', async (_, rest) => {
    const server = await scripted({ greeting: { say: '554 5.3.2 no service here', ...rest } });
    expect(await deliverTo(server.port)(message, context())).toMatchObject({
      kind: 'deferred',
      reply: { replyCode: 554, enhancedCode: '5.3.2', text: 'no service here' },
    });
  });

  test.each(LAST_WORDS)('gets the email in plain text if it closes at STARTTLS, %s', async (_, rest) => {
    const server = await scripted({
      ehlo: '250-mx.inbox.test\r\n250 STARTTLS',
      starttls: { say: '554 5.7.3 no TLS', ...rest },
    });
    expect(await deliverTo(server.port)(message, context())).toMatchObject({ kind: 'delivered' });
    expect(server.messages).toHaveLength(1);
  });

  test.each(cases(['mail', 'rcpt', 'data', 'message']).filter(([code]) => code === '554'))(
    'puts the email off with a 4yz instead of %s to %s, %s',
    async (_, step, __, answer) => {
      const server = await scripted({ [step]: { ...answer, say: '451 4.7.1 later' } });
      expect(await deliverTo(server.port)(message, context())).toMatchObject({
        kind: 'deferred',
        reply: { replyCode: 451, enhancedCode: '4.7.1', text: 'later' },
      });
    },
  );

  test.each(LAST_WORDS)('has accepted the message with a 250, %s', async (_, rest) => {
    const server = await scripted({ message: { say: '250 2.0.0 kept', ...rest } });
    expect(await deliverTo(server.port)(message, context())).toMatchObject({
      kind: 'delivered',
      reply: { text: 'kept' },
    });
  });

  test('is understood if the connection ends within its reply, after the code', async () => {
    const port = await rawServer((socket) => {
      socket.end('220 mx\r\n');
      socket.on('data', () => undefined);
    });
    expect(await deliverTo(port)(message, context())).toMatchObject({ kind: 'deferred' });
    const cutting = await rawServer((socket) => {
      socket.write('220 mx\r\n');
      socket.on('data', () => socket.end('550-5.7.1 Your host is not welcome here.\r\n550 5.7.1 See http'));
    });
    expect(await deliverTo(cutting)(message, context())).toMatchObject({
      kind: 'bounced',
      bounce: { smtp_code: 550, enhanced_code: '5.7.1' },
    });
  });

  test('is read in the middle of a large message', async () => {
    const large = { ...message, signedMessage: `Subject: Large\r\n\r\n${'0123456789\r\n'.repeat(500_000)}` };
    const port = await rawServer((socket) => {
      socket.write('220 mx\r\n');
      let received = 0;
      let inMessage = false;
      socket.on('data', (chunk) => {
        received += chunk.length;
        if (!inMessage) {
          inMessage = chunk.toString().startsWith('DATA');
          socket.write(inMessage ? '354 go ahead\r\n' : '250 ok\r\n');
          received = 0;
        } else if (received > 100_000) {
          socket.removeAllListeners('data').pause();
          socket.write('552 5.3.4 that is too much\r\n', () => socket.resetAndDestroy());
        }
      });
    });
    expect(await deliverTo(port)(large, context())).toMatchObject({
      kind: 'bounced',
      bounce: { smtp_code: 552, enhanced_code: '5.3.4', category: 'content' },
    });
  });
});

describe('a refusal before the envelope', () => {
  const TWO_SERVERS = { addresses: ['127.0.0.2', '127.0.0.1'] };

  test('leaves the email to the next server', async () => {
    const first = await scripted({ ehlo: { say: '550 5.7.1 not you', then: 'close' } }, { host: '127.0.0.2' });
    const second = await scripted({}, { port: first.port });
    expect(await deliverTo(first.port, TWO_SERVERS)(message, context())).toMatchObject({ kind: 'delivered' });
    expect(second.messages).toHaveLength(1);
  });

  test('does not bounce the email while another server may accept it later', async () => {
    const first = await scripted({ ehlo: '550 5.7.1 not you' }, { host: '127.0.0.2' });
    expect(await deliverTo(first.port, TWO_SERVERS)(message, context())).toMatchObject({ kind: 'deferred' });
  });

  test('by a relay defers the email: the relay is at fault, not the email', async () => {
    const { port } = await scripted({ ehlo: '550 5.7.1 not you' });
    const deliver = deliverToRelay(`smtp://127.0.0.1:${String(port)}`);
    expect(await deliver(message, context())).toMatchObject({ kind: 'deferred', reply: { replyCode: 550 } });
  });

  test('of EHLO as an unknown command is followed by HELO', async () => {
    const port = await rawServer((socket) => {
      socket.write('220 mx\r\n');
      socket.on('data', (chunk) => {
        const verb = chunk.toString().slice(0, 4);
        socket.write(verb === 'EHLO' ? '502 5.5.2 what?\r\n' : verb === 'DATA' ? '354 go\r\n' : '250 ok\r\n');
      });
    });
    expect(await deliverTo(port)(message, context())).toMatchObject({ kind: 'delivered' });
  });
});

describe('a server that sends without end', () => {
  test.each([
    ['one line', Buffer.alloc(1_000_000, '2')],
    ['continuation lines', Buffer.from('250-more\r\n'.repeat(100_000))],
    ['replies', Buffer.from('250 more\r\n'.repeat(100_000))],
    ['empty lines', Buffer.from('\r\n'.repeat(100_000))],
    ['line feeds within a reply', Buffer.from(`250-more\r\n${'\n'.repeat(100_000)}`)],
  ])('in %s is disconnected', async (_, flood) => {
    const port = await rawServer((socket) => socket.write(flood));
    expect(await deliverTo(port)(message, context())).toMatchObject({
      ...{ kind: 'deferred', remoteMta: 'mx.inbox.test' },
      diagnostic: expect.not.stringContaining('within') as string,
    });
  });

  test.each([
    ['a byte of its greeting', '2'],
    ['an empty line before its greeting', '\r\n'],
    ['a line of its greeting', '220-mx\r\n'],
  ])('every second, in %s, is disconnected after a minute', async (_, piece) => {
    // Sockets need the other timers.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const accepted: Socket[] = [];
    const port = await rawServer((socket) => accepted.push(socket));
    let outcome: DeliveryResult | undefined;
    const delivery = deliverTo(port)(message, context()).then((found) => (outcome = found));
    const socket = await vi.waitUntil(() => accepted[0]);
    for (let seconds = 0; seconds < 60; seconds += 1) {
      expect(outcome).toBeUndefined();
      await new Promise((resolve) => socket.write(piece, resolve));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(await delivery).toMatchObject({
      kind: 'deferred',
      diagnostic: expect.stringContaining('The server was not ready within 60 seconds.') as string,
    });
  });
});

async function rawServer(serve: (socket: Socket) => unknown): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}
