import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '../../../src/dev/temporal/is-running.ts';
import { lockDataFile } from '../../../src/dev/temporal/data-file-lock.ts';
import { spawnTied } from '../../../src/dev/temporal/spawn-tied.ts';
import { packagedModule } from '../../support/packaged-command.ts';
import { runScript } from './script-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('refuses a file that a running process has claimed, and names the process and what to do', async () => {
  const dataFile = join(temporaryFolder(), 'new', 'temporal.sqlite');
  const claim = await lockDataFile(dataFile);
  await expect(lockDataFile(dataFile)).rejects.toThrow(
    `Another Temporal server uses ${dataFile} (process ${String(process.pid)}). Stop it or use another data file.`,
  );
  await claim.release();
  await (await lockDataFile(dataFile)).release();
});

test('a second release does not release the claim of another process', async () => {
  const dataFile = join(temporaryFolder(), 'temporal.sqlite');
  const first = await lockDataFile(dataFile);
  await first.release();
  const second = await lockDataFile(dataFile);
  await first.release();
  await expect(lockDataFile(dataFile)).rejects.toThrow('Another Temporal server');
  await second.release();
});

test('refuses one of two processes that claim at once', async () => {
  const dataFile = join(temporaryFolder(), 'temporal.sqlite');
  const script = `
    const { lockDataFile } = await import(${JSON.stringify(await packagedModule('dev/temporal/data-file-lock.js'))});
    await lockDataFile(${JSON.stringify(dataFile)}).then(() => console.log('claim held'), () => console.log('claim refused'));
    setInterval(() => undefined, 1_000);
  `;
  const claimants = [runScript(script), runScript(script)];
  const answers = await Promise.all(claimants.map((claimant) => claimant.line('claim ')));
  expect(answers.sort()).toEqual(['claim held', 'claim refused']);
});

test('honours the claim of a killed process until its server has ended', async () => {
  const dataFile = join(temporaryFolder(), 'temporal.sqlite');
  const server = spawnTied({ executable: '/bin/sh', args: ['-c', 'sleep 600'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  const serverPid = server.pid ?? 0;
  expect(isRunning(serverPid)).toBe(true);
  const owner = runScript('console.log("done")');
  await owner.ended();
  await writeFile(`${dataFile}.claim`, `${String(owner.child.pid)}\n${String(serverPid)}\n`);

  const claiming = lockDataFile(dataFile);
  setTimeout(() => server.stdin.destroy(), 300);
  const claim = await claiming;
  expect(isRunning(serverPid)).toBe(false);
  await claim.release();
});

test('takes over the claim of an earlier process with the same id, as in a container that was killed', async () => {
  const dataFile = join(temporaryFolder(), 'temporal.sqlite');
  await writeFile(`${dataFile}.claim`, `${String(process.pid)}\n\n`);
  const claim = await lockDataFile(dataFile);
  await expect(lockDataFile(dataFile)).rejects.toThrow('Another Temporal server');
  await claim.release();
});

test('ignores a claim file without a process id', async () => {
  const dataFile = join(temporaryFolder(), 'temporal.sqlite');
  await writeFile(`${dataFile}.claim`, '');
  await (await lockDataFile(dataFile)).release();
});
