// A code host that would fill a client's memory, if it let it; run as a process of its own, whose message is its URL.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

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

const server = createServer((request, response) => {
  const [, , name = ''] = (request.url ?? '').split('/');
  bodies[name]?.(response);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
