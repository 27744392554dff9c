// A code host that would fill a client's memory, if it let it; run as a process of its own, whose message is its URL.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';

const block = Buffer.alloc(64 * 1_024, 'x');
const bomb = gzipSync(Buffer.alloc(100_000_000));

function pour(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', write);
  write();
}

const bodies: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'ten-gigabytes': (response) => {
    pour(response.writeHead(200, { 'content-length': String(10 * 1024 ** 3) }));
  },
  endless: (response) => {
    pour(response.writeHead(200));
  },
  bomb: (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  },
  dripping: (response) => {
    const drip = setInterval(() => response.write('x'), 50);
    response.on('close', () => {
      clearInterval(drip);
    });
  },
};

const { url } = await serveOnLoopback((request, response) => {
  const [, , name = ''] = (request.url ?? '').split('/');
  bodies[name]?.(response);
});
process.send?.(url);
