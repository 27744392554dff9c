import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux, from 49152 elsewhere): one of those
 * could be taken, by a client of ours even, while its process is down and must come back to it.
 */
const LEAST = 15_000;
const MOST = 32_000;
const ATTEMPTS_MAX = 50;

/** A free TCP port on loopback that stays reserved while its process is restarted. */
export async function lastingPort(): Promise<number> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const port = LEAST + Math.floor(Math.random() * (MOST - LEAST));
    if (await canListen(port)) return port;
  }
  throw new Error(`No free port between ${LEAST} and ${MOST} on 127.0.0.1, tried ${ATTEMPTS_MAX} times.`);
}

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
