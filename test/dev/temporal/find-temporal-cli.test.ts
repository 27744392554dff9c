import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findTemporalCli } from '../../../src/dev/temporal/find-temporal-cli.ts';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { temporaryFolder, writeProgram } from '../../support/temporary-folder.ts';

/** A machine on which every download fails: the proxy is a port where nobody listens. */
async function withoutInternet(): Promise<void> {
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${String(await freePort())}`);
  vi.stubEnv('NO_PROXY', '');
  onTestFinished(() => void vi.unstubAllEnvs());
}

function folderWith(program: string, script: string): string {
  const folder = temporaryFolder();
  writeProgram(folder, program, script);
  return folder;
}

const report = (): void => undefined;

test('prefers the CLI of TEMPORAL_CLI_PATH to the one on the PATH', async () => {
  const named = folderWith('my-cli', 'echo temporal version 1.0.0');
  const path = folderWith('temporal', 'echo temporal version 2.0.0');
  const cacheFolder = temporaryFolder();
  const options = { path, cacheFolder, report };
  expect(await findTemporalCli({ ...options, temporalCliPath: join(named, 'my-cli') })).toBe(join(named, 'my-cli'));
  expect(await findTemporalCli({ ...options, temporalCliPath: '' })).toBe(join(path, 'temporal'));
});

test('ignores a folder named temporal on the PATH', async () => {
  const misleading = temporaryFolder();
  await mkdir(join(misleading, 'temporal'));
  const path = folderWith('temporal', 'echo temporal version 2.0.0');
  const found = findTemporalCli({ path: ['', misleading, path].join(delimiter), cacheFolder: misleading, report });
  expect(await found).toBe(join(path, 'temporal'));
});

test('throws one error with each way, its reason and what to do, without network and tools', async () => {
  await withoutInternet();
  const path = folderWith('temporal', 'echo "wrong architecture" >&2; exit 126');
  const cacheFolder = temporaryFolder();
  const error = await findTemporalCli({ path, cacheFolder, report }).catch((thrown: unknown) => thrown);
  const lines = String(error).split('\n');
  const ways = lines.filter((line) => line.startsWith('- '));
  expect(ways.map((line) => line.split(':', 1)[0])).toEqual([
    '- `temporal` on the PATH',
    `- the cache ${cacheFolder}`,
    '- the download of the Temporal SDK',
    '- `go install` of version 1.5.1',
  ]);
  expect(ways[0]).toContain('--version failed');
  expect(ways[3]).toContain('needs `go` on the PATH');
  expect(String(error)).toMatch(/temporal\.download\/cli/u);
  expect(lines.at(-1)).toMatch(
    /^Install the Temporal CLI .* TEMPORAL_CLI_PATH .* TEMPORAL_ADDRESS to a running server$/u,
  );
});
