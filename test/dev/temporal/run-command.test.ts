import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning } from '../../../src/dev/temporal/is-running.ts';
import { folderBytes } from '../../../src/dev/temporal/download-with-sdk.ts';
import { runCommand } from '../../../src/dev/temporal/run-command.ts';
import type { CommandOptions } from '../../../src/dev/temporal/run-command.ts';
import { waitUntil } from '../../../src/lib/timing/wait-until.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A shell command that succeeds; its lines are its progress. */
function shell(folder: string, script: string, reports: string[] = []): CommandOptions {
  return {
    command: '/bin/sh',
    args: ['-c', script],
    folder,
    title: 'Making it',
    report: (line) => reports.push(line),
    progress: (lines) => lines,
    describe: (lines) => `${String(lines)} lines`,
    stalledAfterMs: { start: 20_000, later: 20_000 },
  };
}

test('throws with the last lines of a command that fails', async () => {
  const folder = temporaryFolder();
  await expect(runCommand(shell(folder, 'echo first; echo no such host >&2; exit 3'))).rejects.toThrow(
    /ended with exit code 3; its last lines:\n {4}first\n {4}no such host/u,
  );
});

test('throws if the command does not exist', async () => {
  const folder = temporaryFolder();
  await expect(runCommand({ ...shell(folder, ''), command: 'no-such-program' })).rejects.toThrow(/no-such-program/u);
});

test('stops a command without any progress after the first limit, with its children', async () => {
  const folder = temporaryFolder();
  const pidFile = join(folder, 'pid');
  const stalled = runCommand({
    ...shell(folder, `sleep 600 & echo $! >${pidFile}; wait`),
    stalledAfterMs: { start: 500, later: 600_000 },
  });
  await expect(stalled).rejects.toThrow(/stopped after \d+ s without progress/u);
  const grandchild = Number(await readFile(pidFile, 'utf8'));
  expect(grandchild).toBeGreaterThan(0);
  expect(await waitUntil(() => !isRunning(grandchild), { timeoutMs: 5_000 })).toBe(true);
});

test('kills a command and its children at an abort, and throws the reason', async () => {
  const folder = temporaryFolder();
  const pidFile = join(folder, 'pid');
  const interruption = new AbortController();
  const running = runCommand({
    ...shell(folder, `sleep 600 & echo $! >${pidFile}.part; mv ${pidFile}.part ${pidFile}; wait`),
    signal: interruption.signal,
  });
  const written = (): Promise<string> => readFile(pidFile, 'utf8').catch(() => '');
  expect(await waitUntil(async () => (await written()) !== '', { timeoutMs: 20_000 })).toBe(true);
  const grandchild = Number(await written());
  interruption.abort(new Error('interrupted'));
  await expect(running).rejects.toThrow(/^interrupted$/u);
  expect(await waitUntil(() => !isRunning(grandchild), { timeoutMs: 5_000 })).toBe(true);
});

test('stops a stalled command after the later limit', async () => {
  const folder = temporaryFolder();
  await expect(
    runCommand({ ...shell(folder, 'echo begun; sleep 600'), stalledAfterMs: { start: 600_000, later: 500 } }),
  ).rejects.toThrow(/without progress; its last lines:\n {4}begun/su);
});

test('lets a slow command run beyond the limits while its file grows', async () => {
  const folder = temporaryFolder();
  const startedAt = performance.now();
  await runCommand({
    ...shell(folder, 'for i in 1 2 3 4 5 6 7 8 9 10; do printf x >>file; sleep 0.3; done'),
    progress: () => folderBytes(folder),
    stalledAfterMs: { start: 1_500, later: 1_500 },
  });
  expect(performance.now() - startedAt).toBeGreaterThan(2_500);
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('x'.repeat(10));
});

test('reports the time and progress of a long command', async () => {
  const folder = temporaryFolder();
  const reports: string[] = [];
  await runCommand(shell(folder, 'echo one; echo two; sleep 6', reports));
  expect(reports).toEqual(['Making it: 5 s, 2 lines']);
});
