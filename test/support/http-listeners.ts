import type { OutgoingHttpHeaders, RequestListener } from 'node:http';

export const respond =
  (status: number, headers: OutgoingHttpHeaders = {}, body: string | Buffer = ''): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Writes for as long as the client reads. */
export const pour =
  (headers: OutgoingHttpHeaders = {}): RequestListener =>
  (_, response) => {
    const block = Buffer.alloc(64 * 1_024, 'x');
    const write = (): void => {
      while (!response.destroyed && response.write(block));
    };
    response.writeHead(200, headers).on('drain', write);
    write();
  };

/** Sends a byte now and then, and never ends. */
export const drip: RequestListener = (_, response) => {
  response.writeHead(200).write('x');
  const timer = setInterval(() => response.write('x'), 50);
  response.on('close', () => {
    clearInterval(timer);
  });
};
