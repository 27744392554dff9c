import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '../../../src/dev/temporal/is-running.ts';
import { killTied, spawnTied } from '../../../src/dev/temporal/spawn-tied.ts';
import type { TiedProcess } from '../../../src/dev/temporal/spawn-tied.ts';
import { waitUntil } from '../../../src/lib/timing/wait-until.ts';
import { packagedModule } from '../../support/packaged-command.ts';
import { runScript } from './script-process.ts';

const WITHIN = { timeoutMs: 15_000 };

function tied(script: string): TiedProcess {
  const child = spawnTied({ executable: '/bin/sh', args: ['-c', script] });
  onTestFinished(() => {
    killTied(child);
  });
  return child;
}

async function firstLine(child: TiedProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line;
}

test('has the process id and the exit code of the program', async () => {
  const child = tied('echo $$; exit 7');
  const exited = once(child, 'exit');
  expect(await firstLine(child)).toBe(String(child.pid));
  expect(await exited).toEqual([7, null]);
});

test('passes arguments unchanged', async () => {
  const child = spawnTied({ executable: '/bin/echo', args: ['a  b', '$HOME', "it's", '--'] });
  expect(await firstLine(child)).toBe("a  b $HOME it's --");
});

test.each([
  ['SIGKILL', 'sleep 600'],
  ['SIGTERM', 'sleep 600'],
  ['SIGKILL', "trap '' TERM; while :; do sleep 1; done"],
] as const)('when our process gets %s, the program `%s` ends too', async (signal, program) => {
  const parent = runScript(`
    const { spawnTied } = await import(${JSON.stringify(await packagedModule('dev/temporal/spawn-tied.js'))});
    const child = spawnTied({ executable: '/bin/sh', args: ['-c', ${JSON.stringify(`${program} & echo ready $$ $!; wait; ${program}`)}] });
    child.stdout.pipe(process.stdout);
  `);
  const pids = (await parent.line('ready ')).split(' ').slice(1).map(Number);
  expect(pids.map(isRunning)).toEqual([true, true]);
  parent.child.kill(signal);
  expect(await waitUntil(() => !pids.some(isRunning), WITHIN)).toBe(true);
});

test('ends the children of the program with it', async () => {
  const child = tied('sleep 600 & echo $!; wait');
  const grandchild = Number(await firstLine(child));
  expect(isRunning(grandchild)).toBe(true);
  killTied(child);
  expect(await waitUntil(() => !isRunning(grandchild), WITHIN)).toBe(true);
});
