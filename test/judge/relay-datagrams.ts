import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Passes questions at an address on to a server at a port of 127.0.0.1: BIND listens at addresses of interfaces alone. */
export async function relayDatagrams(
  { host, port }: { readonly host: string; readonly port: number },
  to: number,
): Promise<{ stop(): Promise<void> }> {
  const socket = createSocket('udp4');
  const open = new Set<ReturnType<typeof createSocket>>();
  socket.on('message', (question, from) => {
    const onward = createSocket('udp4');
    open.add(onward);
    onward.once('message', (answer) => {
      socket.send(answer, from.port, from.address);
      open.delete(onward);
      onward.close();
    });
    onward.send(question, to, '127.0.0.1');
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    async stop() {
      for (const one of open) one.close();
      socket.close();
      await once(socket, 'close');
    },
  };
}
