// A code host that would fill a client's memory, if it let it; run as a process of its own, whose message is its URL.
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';
import { drip, pour, respond } from '../support/http-listeners.ts';

const bodies: Readonly<Record<string, RequestListener>> = {
  'ten-gigabytes': pour({ 'content-length': String(10 * 1024 ** 3) }),
  endless: pour(),
  bomb: respond(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(100_000_000))),
  dripping: drip,
};

const { url } = await serveOnLoopback((request, response) => {
  const [, , name = ''] = (request.url ?? '').split('/');
  bodies[name]?.(request, response);
});
process.send?.(url);
