import { createServer, connect } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** A free TCP port on loopback. Another program may take it before the caller does: then try again with another one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('The system assigned no TCP port'));
        else resolve(address.port);
      });
    });
  });
}

/** Whether a program accepts connections at this port on loopback. */
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
