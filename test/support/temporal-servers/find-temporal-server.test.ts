import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findTemporalServer } from './find-temporal-server.ts';
import { temporaryFolder, writeProgram } from '../temporary-folder.ts';

const report = (): void => undefined;

function folderWith(programs: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, version] of Object.entries(programs))
    writeProgram(folder, name, `echo "${name} version ${version}"`);
  return folder;
}

test('takes the server and its SQL tool from the PATH', async () => {
  const path = folderWith({ 'temporal-server': '1.32.0', 'temporal-sql-tool': '1.32.0' });
  const cacheFolder = temporaryFolder();
  expect(await findTemporalServer({ path, cacheFolder, report })).toEqual({
    server: join(path, 'temporal-server'),
    sqlTool: join(path, 'temporal-sql-tool'),
  });
});

test('throws one error with each way, its reason and what to do, with another version on the PATH and without Go', async () => {
  const path = folderWith({ 'temporal-server': '1.32.0', 'temporal-sql-tool': '1.28.1' });
  const cacheFolder = temporaryFolder();
  const error = await findTemporalServer({ path, cacheFolder, report }).catch((thrown: unknown) => thrown);
  expect(String(error).split('\n').slice(1)).toEqual([
    expect.stringMatching(
      /^- `temporal-server` on the PATH: .*temporal-sql-tool --version prints .*1\.28\.1.* not 1\.32\.0$/u,
    ),
    `- the cache ${cacheFolder}: it is empty`,
    '- `go install` of version 1.32.0: needs `go` on the PATH',
    'Install Go, or put temporal-server and temporal-sql-tool of a Temporal release on the PATH',
  ]);
});
