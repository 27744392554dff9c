import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Http2Server } from 'node:http2';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectClient } from '../../../src/lib/temporal/connect-client.ts';
import { connectWorker } from '../../../src/lib/temporal/connect-worker.ts';
import { readTemporalConfig } from '../../../src/lib/temporal/temporal-config.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let file: string;
let server: Http2Server;
let address: string;
/** The key of the latest call. */
let seen: string | undefined;
beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, 'key');
  writeFileSync(file, 'first-key\n');
  seen = undefined;
  // A gRPC server that answers every call with an empty message.
  server = createServer().on('stream', (stream, headers) => {
    seen = headers.authorization;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      stream.sendTrailers({ 'grpc-status': '0' });
    });
    stream.end(Buffer.alloc(5));
  });
  address = `127.0.0.1:${await listenOnLoopback(server)}`;
});
afterEach(() => {
  server.close();
});

const config = () =>
  readTemporalConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_TLS: 'false', TEMPORAL_API_KEY_FILE: file })
    .connectionOptions;

/** As a secret is replaced: by another file in its place. */
function replaceKey(key: string): void {
  writeFileSync(`${file}.new`, key);
  renameSync(`${file}.new`, file);
}

const SOON = { timeout: 20_000, interval: 200 };

test.each([
  ['a client', connectClient],
  ['a Worker', connectWorker],
] as const)('%s sends each new key of TEMPORAL_API_KEY_FILE, without a restart', async (_, connect) => {
  const connection = await connect(config());
  const keySent = async (): Promise<string | undefined> => {
    await connection.workflowService.getClusterInfo({}).catch(() => undefined);
    return seen;
  };
  try {
    expect(await keySent()).toBe('Bearer first-key');
    replaceKey('second-key\n');
    await expect.poll(keySent, SOON).toBe('Bearer second-key');
    // Half written, or gone for a moment.
    writeFileSync(file, '');
    rmSync(file);
    expect(await keySent()).toBe('Bearer second-key');
    replaceKey('third-key');
    await expect.poll(keySent, SOON).toBe('Bearer third-key');
  } finally {
    await connection.close();
  }
});

test('TEMPORAL_API_KEY_FILE that is missing, empty, or beside TEMPORAL_API_KEY is refused', () => {
  const read = (environment: Record<string, string>) => () => readTemporalConfig(environment);
  expect(read({ TEMPORAL_API_KEY_FILE: join(folder, 'none') })).toThrow(
    `TEMPORAL_API_KEY_FILE is ${join(folder, 'none')}, which cannot be read: there is no such file`,
  );
  expect(read({ TEMPORAL_API_KEY_FILE: file, TEMPORAL_API_KEY: 'key' })).toThrow('are both set');
  writeFileSync(file, '\n');
  expect(read({ TEMPORAL_API_KEY_FILE: file })).toThrow('which is empty');
});
