import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** A way to the server that can be cut. */
export interface CuttableLink {
  readonly address: string;
  cut(): void;
  /** Lets connections through again. */
  restore(): void;
  close(): Promise<void>;
}

/** @param server `host:port` */
export async function cuttableLink(server: string): Promise<CuttableLink> {
  const [host = '', port] = server.split(':');
  const sockets = new Set<Socket>();
  let isCut = false;
  const listener = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), host);
    for (const socket of [near, far]) sockets.add(socket);
    // Ends both when one ends; that they were cut is no error.
    pipeline(near, far, near, () => {
      for (const socket of [near, far]) {
        socket.destroy();
        sockets.delete(socket);
      }
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      hangUp();
    },
    restore() {
      isCut = false;
    },
    async close() {
      hangUp();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
