import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cachedWays, namedByVariable } from '../../../src/dev/temporal/find-executable.ts';
import type { CachedWay } from '../../../src/dev/temporal/find-executable.ts';
import { firstThatWorks } from '../../../src/dev/temporal/first-that-works.ts';
import { cliProblem } from '../../../src/dev/temporal/find-temporal-cli.ts';
import { temporaryFolder, writeProgram } from '../../support/temporary-folder.ts';

const GOOD = 'echo temporal version 9.9.9';
const HALF = 'exit 126';

const cachedName = `cli-9-${process.platform}-${process.arch}`;

/** A way that writes a script; the list tells how often it was used. */
function way(content: string, made: string[] = []): CachedWay {
  return {
    name: 'the test',
    cacheName: 'cli-9',
    needs: [],
    make: async (folder) => {
      made.push(folder);
      return writeProgram(folder, 'made', content);
    },
  };
}

function find(cacheFolder: string, ways: readonly CachedWay[], reports: string[] = []): Promise<string> {
  const report = (line: string): void => void reports.push(line);
  return firstThatWorks({
    wanted: 'CLI',
    ways: cachedWays(ways, { path: '/nowhere', cacheFolder, problem: cliProblem, report }),
    advice: '',
    report,
  });
}

test('finds what an earlier run cached, and does not create it again', async () => {
  const cacheFolder = join(temporaryFolder(), 'not', 'there', 'yet');
  const made: string[] = [];
  const first = await find(cacheFolder, [way(GOOD, made)]);
  const second = await find(cacheFolder, [way(GOOD, made)]);
  expect(first).toBe(join(cacheFolder, cachedName));
  expect(second).toBe(first);
  expect(made).toHaveLength(1);
});

test('removes and reports a cached program that does not run, and creates another one', async () => {
  const cacheFolder = temporaryFolder();
  writeProgram(cacheFolder, cachedName, HALF);
  const reports: string[] = [];
  const found = await find(cacheFolder, [way(GOOD)], reports);
  expect(await readFile(found, 'utf8')).toContain(GOOD);
  expect(reports[0]).toMatch(/^Removing a cached server: .*--version failed/u);
});

test('does not cache a new program that does not run', async () => {
  const cacheFolder = temporaryFolder();
  await expect(find(cacheFolder, [way(HALF)])).rejects.toThrow(/the test: .*--version failed/u);
  expect(await readdir(cacheFolder)).toEqual([]);
});

test('does not try a way whose program is missing, and names the program', async () => {
  const cacheFolder = temporaryFolder();
  const made: string[] = [];
  const found = find(cacheFolder, [{ ...way(GOOD, made), needs: ['go'] }]);
  await expect(found).rejects.toThrow('the test: needs `go` on the PATH');
  expect(made).toEqual([]);
});

test('finds an executable inside a cached folder', async () => {
  const cacheFolder = temporaryFolder();
  const inFolder: CachedWay = {
    ...way(GOOD),
    executableInFolder: 'start',
    make: async (folder) => {
      await mkdir(join(folder, 'server'));
      writeProgram(join(folder, 'server'), 'start', GOOD);
      return join(folder, 'server');
    },
  };
  expect(await find(cacheFolder, [inFolder])).toBe(join(cacheFolder, cachedName, 'start'));
});

test.each([
  ['does not exist', undefined, /ENOENT/u],
  ['is another program', 'echo Temporale 4.2', /"Temporale 4.2\\n", so it is not the Temporal CLI/u],
])('throws for a TEMPORAL_CLI_PATH that %s, and tries nothing else', async (_, content, message) => {
  const folder = temporaryFolder();
  const path = join(folder, 'temporal');
  if (content !== undefined) writeProgram(folder, 'temporal', content);
  const found = namedByVariable('TEMPORAL_CLI_PATH', path, cliProblem);
  await expect(found).rejects.toThrow(message);
  await expect(found).rejects.toThrow(/^Cannot use TEMPORAL_CLI_PATH: .* Correct the variable, or unset it/su);
});
