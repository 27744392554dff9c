import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { Agent, request } from 'undici';
import { startBalancer } from './balancer.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';

async function startNamed(name: string): Promise<{ port: number; stop: () => void }> {
  const server = createServer((_request, response) => response.end(name));
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  return { port, stop };
}

test('gives connections to the servers in turn, and all of them to the others when one is away', async () => {
  const [one, other] = [await startNamed('one'), await startNamed('other')];
  const balancer = await startBalancer(await freePort(), [one.port, other.port]);
  onTestFinished(() => balancer.stop());
  const ask = async (): Promise<string> => {
    const dispatcher = new Agent();
    const answer = await (await request(balancer.url, { dispatcher })).body.text();
    await dispatcher.close();
    return answer;
  };
  expect([await ask(), await ask(), await ask()]).toEqual(['one', 'other', 'one']);
  other.stop();
  expect([await ask(), await ask()]).toEqual(['one', 'one']);
});
