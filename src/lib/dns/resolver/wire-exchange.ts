import { createSocket } from 'node:dgram';
import type { EventEmitter } from 'node:events';
import { createConnection, isIPv6 } from 'node:net';
import type { ServerAddress } from './server-address.ts';

/** The reply, or why there is none. A message that does not belong to the query is no reply. */
export type Exchanged<T> = { readonly reply: T } | { readonly failure: 'timeout' | 'unreachable' | 'malformed' };

/** Reads one message; undefined when it does not belong to the query, throws when it cannot be read. */
export type MessageReader<T> = (message: Buffer) => T | undefined;

/** Sends one query as a datagram and waits for the first datagram that `read` accepts. Each query has its own source port. */
export async function exchangeByUdp<T>(
  to: ServerAddress,
  query: Buffer,
  read: MessageReader<T>,
  timeoutMs: number,
): Promise<Exchanged<T>> {
  const socket = createSocket(isIPv6(to.address) ? 'udp6' : 'udp4');
  const close = () => socket.close();
  return firstResult(socket, close, timeoutMs, (end) => {
    socket.on('message', (message) => {
      const result = readOrReject(message, read);
      // Perhaps a forged answer; the real one may still arrive.
      if (result !== undefined) end(result);
    });
    socket.on('connect', () => {
      socket.send(query);
    });
    // A connected socket accepts datagrams of this peer only, and reports when nothing listens there.
    socket.connect(to.port, to.address);
  });
}

/** Sends one query over its own TCP connection; each message follows its length in two bytes, RFC 1035 section 4.2.2. */
export async function exchangeByTcp<T>(
  to: ServerAddress,
  query: Buffer,
  read: MessageReader<T>,
  timeoutMs: number,
): Promise<Exchanged<T>> {
  const socket = createConnection({ host: to.address, port: to.port });
  const close = () => socket.destroy();
  return firstResult(socket, close, timeoutMs, (end) => {
    let received = Buffer.alloc(0);
    socket.on('close', () => {
      end({ failure: 'unreachable' });
    });
    socket.on('connect', () => {
      socket.write(withLength(query));
    });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const message = received.subarray(2, 2 + received.readUInt16BE(0));
      end(readOrReject(message, read) ?? { failure: 'malformed' });
    });
  });
}

/** Resolves with what `listen` ends with, or with a failure of the socket or the time; then nothing of the socket is left. */
function firstResult<T>(
  socket: EventEmitter,
  close: () => void,
  timeoutMs: number,
  listen: (end: (result: Exchanged<T>) => void) => void,
): Promise<Exchanged<T>> {
  return new Promise((resolve) => {
    const end = (result: Exchanged<T>): void => {
      clearTimeout(timer);
      socket.removeAllListeners().on('error', () => undefined);
      close();
      resolve(result);
    };
    const timer = setTimeout(() => {
      end({ failure: 'timeout' });
    }, timeoutMs);
    socket.on('error', () => {
      end({ failure: 'unreachable' });
    });
    listen(end);
  });
}

function readOrReject<T>(message: Buffer, read: MessageReader<T>): Exchanged<T> | undefined {
  try {
    const reply = read(message);
    return reply === undefined ? undefined : { reply };
  } catch {
    return { failure: 'malformed' };
  }
}

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
