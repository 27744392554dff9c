import { createServer } from 'node:net';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { listen } from '../../../src/lib/http/listen.ts';
import { SettingsError } from '../../../src/lib/settings.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';

const settings = { host: 'SENDOFF_HOST', port: 'SENDOFF_PORT' };

async function refusalOf(host: string, port: number): Promise<unknown> {
  const app = Fastify();
  const refusal = await listen(app, { host, port, settings }).catch((error: unknown) => error);
  await app.close();
  return refusal;
}

test('a port that is taken is named with host, port and setting', async () => {
  const other = createServer();
  const port = await listenOnLoopback(other);
  const refusal = await refusalOf('127.0.0.1', port);
  other.close();
  expect(refusal).toBeInstanceOf(SettingsError);
  expect(String(refusal)).toContain(
    `127.0.0.1:${String(port)} is in use by another program. Stop that program, or set SENDOFF_PORT to another port; SENDOFF_HOST is 127.0.0.1.`,
  );
});

test('an address of another machine is named with the setting', async () => {
  const refusal = await refusalOf('192.0.2.1', 0);
  expect(refusal).toBeInstanceOf(SettingsError);
  expect(String(refusal)).toContain('SENDOFF_HOST must be an address of this machine; found "192.0.2.1".');
});

test('a free port gives the URL', async () => {
  const app = Fastify();
  expect(await listen(app, { host: '127.0.0.1', port: 0, settings })).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await app.close();
});
