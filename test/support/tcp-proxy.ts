import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { listenOnLoopback } from './listen-on-loopback.ts';

export interface TcpProxy {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** How many clients are connected. */
  readonly connections: () => number;
  /** How often clients sent something after an answer. */
  readonly roundTrips: () => number;
  /** From now on nothing that clients send arrives, until the connections are cut. */
  mute(): void;
  /** Breaks all connections and takes no new ones, as a server does that went away. */
  cut(): void;
  restore(): void;
  stop(): Promise<void>;
}

/** Stands between a client and a server, so that a test can take the server away and bring it back. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let clients = 0;
  let isCut = false;
  let isMute = false;
  let roundTrips = 0;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    clients += 1;
    near.on('close', () => (clients -= 1));
    const far = connect(Number(port), host);
    let isAnswered = true;
    near.on('data', () => {
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
    });
    far.on('data', () => (isAnswered = true));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    near.pipe(unlessMute()).pipe(far);
    far.pipe(near);
  });
  const listening = await listenOnLoopback(server);
  const unlessMute = (): Transform =>
    new Transform({
      transform(chunk, _encoding, done) {
        if (isMute) done();
        else done(null, chunk);
      },
    });
  const cut = (): void => {
    isCut = true;
    isMute = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${listening}`,
    connections: () => clients,
    roundTrips: () => roundTrips,
    mute: () => {
      isMute = true;
    },
    cut,
    restore: () => {
      isCut = false;
    },
    stop: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
