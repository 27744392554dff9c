import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { downloadWithSdk, sdkVersion } from '../../../src/dev/temporal/download-with-sdk.ts';
import type { DownloadWithSdkOptions } from '../../../src/dev/temporal/download-with-sdk.ts';
import { temporaryFolder } from './temporary-folder.ts';

async function download(program: string): Promise<DownloadWithSdkOptions> {
  return { server: 'createLocal', folder: await temporaryFolder(), report: () => undefined, program };
}

test('the SDK names its version, which the cache needs', () => {
  expect(sdkVersion).toMatch(/^\d+\.\d+\.\d+$/u);
});

test('the one finished file is the executable', async () => {
  const executable = await downloadWithSdk(
    await download(`require('node:fs').writeFileSync('temporal-sdk-typescript-1.24.0', 'binary')`),
  );
  expect(basename(executable)).toBe('temporal-sdk-typescript-1.24.0');
  expect(await readFile(executable, 'utf8')).toBe('binary');
});

test('a whole file counts although the server did not come up within the time the SDK gives it', async () => {
  const executable = await downloadWithSdk(
    await download(`require('node:fs').writeFileSync('temporal-sdk-typescript-1.24.0', 'binary'); process.exit(1)`),
  );
  expect(basename(executable)).toBe('temporal-sdk-typescript-1.24.0');
});

test('a download that breaks off is a failure, and the half file is not taken for the executable', async () => {
  const options = await download(`
    require('node:fs').writeFileSync('temporal-sdk-typescript-1.24.0.downloading', 'bin');
    console.error('connection reset');
    process.exit(1);
  `);
  await expect(downloadWithSdk(options)).rejects.toThrow('connection reset');
});

test('a server that takes the connection and sends nothing is given up after the first limit', async () => {
  const options = await download(`setInterval(() => undefined, 1_000)`);
  const startedAt = performance.now();
  await expect(downloadWithSdk({ ...options, stalledAfterMs: { start: 1_000, later: 600_000 } })).rejects.toThrow(
    'no progress for 1 s',
  );
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('a download that stops in the middle is given up after the later limit', async () => {
  const options = await download(`
    require('node:fs').writeFileSync('temporal-sdk-typescript-1.24.0.downloading', 'bin');
    setInterval(() => undefined, 1_000);
  `);
  await expect(downloadWithSdk({ ...options, stalledAfterMs: { start: 600_000, later: 1_000 } })).rejects.toThrow(
    'no progress for 1 s',
  );
});
