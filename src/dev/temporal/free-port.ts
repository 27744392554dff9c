import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import { withDeadline } from '../../lib/timing/with-deadline.ts';

const LOOPBACK = '127.0.0.1';

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux, from 49152 elsewhere): one of those could be taken,
 * by a client of ours even, before its process listens, or while that is restarted.
 */
const LEAST = 15_000;
const MOST = 32_000;
const ATTEMPTS_MAX = 50;

/** A free TCP port on loopback, for a process that is about to start. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const port = LEAST + Math.floor(Math.random() * (MOST - LEAST));
    if (await canListen(port)) return port;
  }
  throw new Error(`No free port between ${LEAST} and ${MOST} on ${LOOPBACK}, tried ${ATTEMPTS_MAX} times.`);
}

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, LOOPBACK, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });

/** Whether a program accepts connections at this port on loopback. */
export async function portAnswers(port: number): Promise<boolean> {
  const socket = connect({ host: LOOPBACK, port });
  try {
    await withDeadline(1_000, (signal) => once(socket, 'connect', { signal }));
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
