import { createServer, connect } from 'node:net';

const LOOPBACK = '127.0.0.1';

/**
 * A TCP port of the loopback address that nobody listens on. Another program may take it before the caller does: whoever
 * listens on it must be ready to ask for another.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('The system gave no TCP port.'));
        else resolve(address.port);
      });
    });
  });
}

/** Whether something on the loopback address accepts a connection at this port now. */
export async function portAnswers(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port, timeout: 1_000 });
    const answer = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => {
      answer(true);
    });
    socket.once('error', () => {
      answer(false);
    });
    socket.once('timeout', () => {
      answer(false);
    });
  });
}
