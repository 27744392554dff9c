import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { findTestServer } from './find-test-server.ts';
import { temporaryFolder, writeProgram } from '../temporary-folder.ts';

const report = (): void => undefined;

test('throws one error with every way to a test server, without network and tools', async () => {
  // Every download fails: the proxy is a port that nothing listens on.
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${String(await freePort())}`);
  vi.stubEnv('NO_PROXY', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const cacheFolder = temporaryFolder();
  const error = await findTestServer({ path: '', cacheFolder, report }).catch((thrown: unknown) => thrown);
  const ways = String(error)
    .split('\n')
    .filter((line) => line.startsWith('- '));
  expect(ways).toEqual([
    `- the cache ${cacheFolder}: it is empty`,
    expect.stringContaining('- the download of the Temporal SDK: '),
    "- Maven's io.temporal:temporal-test-server:1.31.0: needs `mvn` and `java` on the PATH",
  ]);
});

test('throws for a TEMPORAL_TEST_SERVER_PATH that does not start', async () => {
  const folder = temporaryFolder();
  const testServerPath = writeProgram(folder, 'server', 'exit 3');
  await expect(findTestServer({ testServerPath, path: '', cacheFolder: folder, report })).rejects.toThrow(
    `Cannot use TEMPORAL_TEST_SERVER_PATH: ${testServerPath} does not start (ended with exit code 3).`,
  );
});
