import { connect, constants, createServer, type ServerHttp2Stream } from 'node:http2';
import { listenOnLoopback } from './listen-on-loopback.ts';

const PERMISSION_DENIED = '7';

export interface RefusingProxy {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** From now on the calls for the Namespace, also those under way, are answered PERMISSION_DENIED. */
  refuse(): void;
  permit(): void;
  stop(): void;
}

/** Stands before a Temporal server as an authorizer that may take the permission in one Namespace away. */
export async function startRefusingProxy(target: string, namespace: string): Promise<RefusingProxy> {
  const upstream = connect(`http://${target}`);
  const server = createServer();
  const underWay = new Set<ServerHttp2Stream>();
  let isRefusing = false;
  const deny = (stream: ServerHttp2Stream): void => {
    if (stream.headersSent || stream.destroyed) return;
    const status = { 'grpc-status': PERMISSION_DENIED, 'grpc-message': 'Request unauthorized.' };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
  };
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const message = Buffer.concat(chunks);
      // With its length before it, as protobuf writes a string.
      const isOfNamespace = message.includes(String.fromCharCode(namespace.length) + namespace);
      if (isOfNamespace && isRefusing) {
        deny(stream);
        return;
      }
      if (isOfNamespace) underWay.add(stream);
      const call = upstream.request({ ...headers, ':authority': target });
      call.on('error', () => {
        stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      });
      stream.on('close', () => {
        underWay.delete(stream);
        call.close(constants.NGHTTP2_CANCEL);
      });
      call.on('response', (response, flags) => {
        if (stream.destroyed || stream.headersSent) return;
        const isOver = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
        stream.respond(response, { endStream: isOver, waitForTrailers: !isOver });
      });
      let trailers = {};
      call.on('trailers', (last: object) => (trailers = last));
      stream.on('wantTrailers', () => {
        stream.sendTrailers(trailers);
      });
      call.on('data', (chunk: Buffer) => stream.writable && stream.write(chunk));
      call.on('end', () => stream.writable && stream.end());
      call.end(message);
    });
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  const port = await listenOnLoopback(server);
  return {
    address: `127.0.0.1:${port}`,
    refuse() {
      isRefusing = true;
      for (const stream of underWay) deny(stream);
    },
    permit: () => void (isRefusing = false),
    stop() {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      server.close();
    },
  };
}
