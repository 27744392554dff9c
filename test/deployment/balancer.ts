import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/**
 * Gives each connection to the next of several servers that accepts one, as the load balancer in front of them does. The
 * connection of a server that ends is closed, not moved.
 *
 * @param targets their ports on loopback
 */
export async function startBalancer(port: number, targets: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    const inOrder = targets.map((_, index) => targets[(turn + index) % targets.length] ?? 0);
    turn += 1;
    keep(near);
    void firstThatAccepts(inOrder).then((far) => {
      if (far === undefined || near.destroyed) {
        near.destroy();
        far?.destroy();
        return;
      }
      keep(far);
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        socket.once('close', () => other.destroy());
        socket.pipe(other);
      }
      near.resume();
    });
  });
  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  }
  server.listen(port, LOOPBACK);
  await once(server, 'listening');
  return {
    url: `http://${LOOPBACK}:${port}`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function firstThatAccepts(ports: readonly number[]): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = connect({ host: LOOPBACK, port, allowHalfOpen: true });
    const accepted = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => {
        resolve(true);
      });
      socket.once('error', () => {
        resolve(false);
      });
    });
    if (accepted) return socket;
  }
  return undefined;
}
