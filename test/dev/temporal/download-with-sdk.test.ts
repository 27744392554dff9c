import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { downloadWithSdk, sdkVersion } from '../../../src/dev/temporal/download-with-sdk.ts';
import type { DownloadWithSdkOptions } from '../../../src/dev/temporal/download-with-sdk.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function download(program: string): Promise<DownloadWithSdkOptions> {
  return { server: 'createLocal', folder: temporaryFolder(), report: () => undefined, program };
}

test('reads the version of the SDK for the name in the cache', () => {
  expect(sdkVersion).toMatch(/^\d+\.\d+\.\d+$/u);
});

test('returns the one finished file', async () => {
  const executable = await downloadWithSdk(
    await download(`require('node:fs').writeFileSync('temporal-sdk-typescript-1.24.0', 'binary')`),
  );
  expect(basename(executable)).toBe('temporal-sdk-typescript-1.24.0');
  expect(await readFile(executable, 'utf8')).toBe('binary');
});

test('accepts a complete file although the server did not start within the limit of the SDK', async () => {
  const executable = await downloadWithSdk(
    await download(`require('node:fs').writeFileSync('temporal-sdk-typescript-1.24.0', 'binary'); process.exit(1)`),
  );
  expect(basename(executable)).toBe('temporal-sdk-typescript-1.24.0');
});

test('fails if the download breaks off, and ignores the unfinished file', async () => {
  const options = await download(`
    require('node:fs').writeFileSync('temporal-sdk-typescript-1.24.0.downloading', 'bin');
    console.error('connection reset');
    process.exit(1);
  `);
  await expect(downloadWithSdk(options)).rejects.toThrow('connection reset');
});

/** Has the SDK's own download go through a proxy on this machine, so that the test reaches no network. */
async function proxy(onConnection: (socket: Socket) => void): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${await listenOnLoopback(server)}`);
  vi.stubEnv('NO_PROXY', '');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}

test.each(['createLocal', 'createTimeSkipping'] as const)(
  'ends the download of %s, which has no time limit, while the connection to the service stalls',
  async (server) => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    await proxy(() => {
      stop.abort(reason);
    });
    const folder = temporaryFolder();
    const downloading = downloadWithSdk({
      ...{ server, folder, report: () => undefined, signal: stop.signal },
      stalledAfterMs: { start: 600_000, later: 600_000 },
    });
    await expect(downloading).rejects.toBe(reason);
    expect(await readdir(folder)).toEqual([]);
  },
);

test('fails at once with the error of a service that refuses', async () => {
  await proxy((socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'));
  const folder = temporaryFolder();
  const startedAt = performance.now();
  await expect(downloadWithSdk({ server: 'createLocal', folder, report: () => undefined })).rejects.toThrow(
    /temporal\.download\/cli/u,
  );
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('stops a download without a first byte after the first limit', async () => {
  const options = await download(`setInterval(() => undefined, 1_000)`);
  const startedAt = performance.now();
  await expect(downloadWithSdk({ ...options, stalledAfterMs: { start: 1_000, later: 600_000 } })).rejects.toThrow(
    'stopped after 1 s without progress',
  );
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

test('stops a stalled download after the later limit', async () => {
  const options = await download(`
    require('node:fs').writeFileSync('temporal-sdk-typescript-1.24.0.downloading', 'bin');
    setInterval(() => undefined, 1_000);
  `);
  await expect(downloadWithSdk({ ...options, stalledAfterMs: { start: 600_000, later: 1_000 } })).rejects.toThrow(
    'stopped after 1 s without progress',
  );
});
