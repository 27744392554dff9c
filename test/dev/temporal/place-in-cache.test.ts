import { mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placeInCache, removeFromCache } from '../../../src/dev/temporal/place-in-cache.ts';
import { waitUntil } from '../../../src/lib/timing/wait-until.ts';
import { packagedModule } from '../../support/packaged-command.ts';
import { runScript, type ScriptProcess } from './script-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LINES = 2_000;

/** A process that makes something of many small writes and says when it has begun and where it stands in the end. */
async function slowMaker(cacheFolder: string, shape: 'file' | 'folder', pauseMs: number): Promise<ScriptProcess> {
  return runScript(`
    import { appendFile, mkdir, access } from 'node:fs/promises';
    import { setTimeout as pause } from 'node:timers/promises';
    const { placeInCache } = await import(${JSON.stringify(await packagedModule('dev/temporal/place-in-cache.js'))});
    const make = async (folder) => {
      const made = folder + '/made';
      if (${JSON.stringify(shape)} === 'folder') await mkdir(made);
      const file = ${JSON.stringify(shape)} === 'folder' ? made + '/content' : made;
      for (let line = 0; line < ${String(LINES)}; line++) {
        await appendFile(file, process.pid + '\\n');
        if (line === 10) console.log('begun');
        if (line % 100 === 0) await pause(${String(pauseMs)});
      }
      return made;
    };
    const usable = (path) => access(path).then(() => true, () => false);
    const place = await placeInCache({ cacheFolder: ${JSON.stringify(cacheFolder)}, name: 'server-1', make, usable });
    console.log('placed ' + place);
  `);
}

test.each(['file', 'folder'] as const)(
  'two processes that create the same %s at once leave a complete one',
  async (shape) => {
    const cacheFolder = temporaryFolder();
    const makers = await Promise.all([slowMaker(cacheFolder, shape, 10), slowMaker(cacheFolder, shape, 10)]);
    await Promise.all(makers.map((maker) => maker.line('begun')));
    const places = await Promise.all(makers.map((maker) => maker.line('placed ')));

    const place = join(cacheFolder, 'server-1');
    expect(places).toEqual([`placed ${place}`, `placed ${place}`]);
    const content = await readFile(shape === 'folder' ? join(place, 'content') : place, 'utf8');
    const writers = new Set(content.trimEnd().split('\n'));
    expect(writers.size).toBe(1);
    expect(content.trimEnd().split('\n')).toHaveLength(LINES);
    expect(await readdir(cacheFolder)).toEqual(['server-1']);
  },
);

test('a process killed halfway leaves nothing under the name, and the next one succeeds', async () => {
  const cacheFolder = temporaryFolder();
  const killed = await slowMaker(cacheFolder, 'file', 1_000);
  await killed.line('begun');
  killed.child.kill('SIGKILL');
  await killed.ended();
  expect(await readdir(cacheFolder)).not.toContain('server-1');

  const next = await slowMaker(cacheFolder, 'file', 0);
  await next.line('placed ');
  expect((await readFile(join(cacheFolder, 'server-1'), 'utf8')).trimEnd().split('\n')).toHaveLength(LINES);
});

test('removes what a killed run left after a day, but not what a running one creates', async () => {
  const cacheFolder = temporaryFolder();
  await mkdir(join(cacheFolder, '.unfinished-old'));
  await mkdir(join(cacheFolder, '.unfinished-new'));
  const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000);
  await utimes(join(cacheFolder, '.unfinished-old'), twoDaysAgo, twoDaysAgo);

  await placeInCache({ cacheFolder, name: 'server-1', make: makeFile, usable: () => Promise.resolve(true) });

  expect((await readdir(cacheFolder)).sort()).toEqual(['.unfinished-new', 'server-1']);
});

test('throws the error of a failed creation and leaves nothing behind', async () => {
  const cacheFolder = temporaryFolder();
  const make = async (folder: string): Promise<string> => {
    await makeFile(folder);
    throw new Error('no network');
  };
  await expect(
    placeInCache({ cacheFolder, name: 'server-1', make, usable: () => Promise.resolve(true) }),
  ).rejects.toThrow('no network');
  expect(await readdir(cacheFolder)).toEqual([]);
});

test('throws if an unusable folder has the name', async () => {
  const cacheFolder = temporaryFolder();
  await mkdir(join(cacheFolder, 'server-1', 'broken'), { recursive: true });
  const make = async (folder: string): Promise<string> => {
    await mkdir(join(folder, 'made'));
    return join(folder, 'made');
  };
  await expect(
    placeInCache({ cacheFolder, name: 'server-1', make, usable: () => Promise.resolve(false) }),
  ).rejects.toThrow(/ENOTEMPTY|EEXIST/u);
});

test('removing a missing file does nothing', async () => {
  const cacheFolder = temporaryFolder();
  await removeFromCache({ cacheFolder, name: 'server-1' });
  expect(await waitUntil(async () => (await readdir(cacheFolder)).length === 0, { timeoutMs: 1_000 })).toBe(true);
});

async function makeFile(folder: string): Promise<string> {
  await writeFile(join(folder, 'made'), 'whole');
  return join(folder, 'made');
}
