import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a receiver does with a connection on which a request has arrived. Repeated parts are sent as fast as they are read, or once a second. */
const PROGRAM = String.raw`
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
const OK = 'HTTP/1.1 200 OK\r\n';
const bomb = gzipSync(Buffer.alloc(500_000_000));
const many = (text) => Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
const flood = (begin, part) => (socket) => {
  const block = many(part);
  const go = () => { while (!socket.destroyed && socket.write(block)); };
  socket.write(begin);
  socket.on('drain', go);
  go();
};
const trickle = (begin, part) => (socket) => {
  socket.write(begin);
  const timer = setInterval(() => socket.write(part), 200);
  socket.on('close', () => clearInterval(timer));
};
const modes = {
  bomb: (socket) => socket.end(Buffer.concat([Buffer.from(OK + 'content-encoding: gzip\r\ncontent-length: ' + bomb.length + '\r\n\r\n'), bomb])),
  body: flood(OK + '\r\n', 'x'),
  chunks: flood(OK + 'transfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
  chunkExtension: flood(OK + 'transfer-encoding: chunked\r\n\r\n1;', 'x'),
  chunkSize: flood(OK + 'transfer-encoding: chunked\r\n\r\n', '0'),
  trailers: flood(OK + 'transfer-encoding: chunked\r\n\r\n0\r\n', 'a: b\r\n'),
  headers: flood(OK, 'a: b\r\n'),
  header: flood(OK + 'a: ', 'x'),
  reason: flood('HTTP/1.1 200 ', 'x'),
  blankLines: flood('', '\r\n'),
  continues: flood('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  hints: flood('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  processing: flood('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  afterwards: flood(OK + 'content-length: 0\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  trickledHeader: trickle(OK + 'a: ', 'x'),
  trickledBody: trickle(OK + '\r\n', 'x'),
  trickledHints: trickle('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  redirect: (socket) => socket.end('HTTP/1.1 307 Temporary Redirect\r\nlocation: /body\r\ncontent-length: 0\r\n\r\n'),
  silent: () => undefined,
  good: (socket) => socket.end(OK + 'content-length: 2\r\n\r\n{}'),
};
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (data) => modes[/ \/(\w+)/.exec(String(data))[1]](socket));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on('close', () => process.exit());
`;

/** Those of the program above that mean no good. */
export const hostileWays: readonly string[] = [...PROGRAM.matchAll(/^ {2}(\w+): (?:\(socket\)|flood|trickle|\(\))/gm)]
  .map(([, way = '']) => way)
  .filter((way) => way !== 'good');

export interface HostileReceiver {
  /** @param way one of `hostileWays`, or `good` */
  readonly urlOf: (way: string) => string;
  readonly stop: () => Promise<void>;
}

/** In a process of its own, so that what it costs to attack is not counted with what it costs to be attacked. */
export async function startHostileReceiver(): Promise<HostileReceiver> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = line.toString().trim();
  return {
    urlOf: (way) => `http://127.0.0.1:${port}/${way}`,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
