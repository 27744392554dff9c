import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface SmtpSink {
  readonly port: number;
  /** Accepted messages. */
  readonly messages: number;
  /** Called with the recipient of each message when it has been accepted. */
  onMessage(listener: (recipient: string) => void): void;
  close(): Promise<void>;
}

/** Recipients that begin so do not exist. */
export const DEAD = 'dead-';

/** A mail server that accepts everything else at once, and keeps nothing but the number of messages. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const sockets = new Set<Socket>();
  let messages = 0;
  let listener: (recipient: string) => void = () => undefined;
  const accepted = (recipient: string): void => {
    messages += 1;
    listener(recipient);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    serve(socket, accepted);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get messages() {
      return messages;
    },
    onMessage: (added) => {
      listener = added;
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

const END_OF_MESSAGE = '\r\n.\r\n';

function serve(socket: Socket, accepted: (recipient: string) => void): void {
  let received = '';
  let recipient = '';
  let inMessage = false;
  socket.setEncoding('latin1');
  socket.setNoDelay(true);
  const reply = (text: string): void => void socket.write(`${text}\r\n`);
  const answer = (line: string): void => {
    switch (line.slice(0, 4).toUpperCase()) {
      case 'EHLO':
        reply('250-sink.example\r\n250-PIPELINING\r\n250 8BITMIME');
        break;
      case 'RCPT':
        recipient = /<([^>]*)>/.exec(line)?.[1] ?? '';
        reply(recipient.startsWith(DEAD) ? '550 5.1.1 No such user' : '250 2.1.5 OK');
        break;
      case 'DATA':
        inMessage = !recipient.startsWith(DEAD);
        reply(inMessage ? '354 Go on' : '554 5.5.1 No valid recipients');
        break;
      case 'QUIT':
        socket.end('221 2.0.0 Bye\r\n');
        break;
      default:
        reply('250 2.0.0 OK');
    }
  };
  reply('220 sink.example ESMTP');
  socket.on('data', (text: string) => {
    received += text;
    for (;;) {
      const end = received.indexOf(inMessage ? END_OF_MESSAGE : '\r\n');
      if (end === -1) {
        if (inMessage) received = received.slice(-END_OF_MESSAGE.length);
        return;
      }
      const line = received.slice(0, end);
      received = received.slice(end + (inMessage ? END_OF_MESSAGE.length : 2));
      if (inMessage) {
        inMessage = false;
        accepted(recipient);
        reply('250 2.0.0 Accepted');
      } else answer(line);
    }
  });
}
