import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Shell } from '../../../src/cli/completion/completion-script.ts';
import { packagedCommand } from '../../support/packaged-command.ts';

const bin = await packagedCommand();
const run = promisify(execFile);
const scripts = new Map<Shell, string>();
const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['--version']).status === 0;

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    scripts.set(shell, (await run(process.execPath, [bin, 'completion', shell])).stdout);
  }
});

/** What the shell offers after these words; the last one is being typed. */
type Offer = (...words: string[]) => Promise<string[]>;

const offers: Partial<Record<Shell, Offer>> = {
  async bash(...words) {
    const program =
      'eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sendoff; printf "%s\\n" "${COMPREPLY[@]}"';
    const { stdout } = await run('bash', ['-c', program, 'bash', scripts.get('bash') ?? '', ...words]);
    return stdout.split('\n').filter((line) => line !== '');
  },
  async fish(...words) {
    const program = 'set -g fish_complete_path; echo $argv[1] | source; complete -C $argv[2]';
    const { stdout } = await run('fish', ['-N', '-c', program, scripts.get('fish') ?? '', words.join(' ')]);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t', 1)[0] ?? '']));
  },
};

// Other shells are tested where they are installed.
describe.each((['bash', 'fish'] as const).filter(isInstalled))('%s', (shell) => {
  test('completes commands, options and their values', async () => {
    const offer = offers[shell]!;
    expect(await offer('sendoff', 'stat')).toEqual(['status']);
    expect(await offer('sendoff', 'status', 'acme', '--js')).toEqual(['--json']);
    expect(await offer('sendoff', 'agents-md', 'mea')).toEqual(['measure']);
    expect(await offer('sendoff', 'agents-md', 'measure', '--format', 'sa')).toEqual(['sarif']);
    expect(await offer('sendoff', 'demo', '--fail', 'F')).toEqual(['F1', 'F2', 'F3']);
    expect(await offer('sendoff', 'completion', 'z')).toEqual(['zsh']);
    // The value of an option is no place for commands.
    expect(await offer('sendoff', 'onboard', '--tenant', '')).toEqual([]);
  });
});

test.each((['zsh'] as const).filter(isInstalled))('%s accepts its script', (shell) => {
  expect(spawnSync(shell, ['-n'], { input: scripts.get(shell) })).toMatchObject({ status: 0 });
});

test('output that cannot be written is told, and is no success', () => {
  const full = openSync('/dev/full', 'w');
  const ended = spawnSync(process.execPath, [bin, 'completion', 'bash'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect(ended.stderr.toString()).toBe('The output cannot be written: the disk is full\n');
  expect(ended.status).toBe(1);
});

test('output whose reader has gone exits with the code of SIGPIPE', async () => {
  const child = spawn(process.execPath, [bin, 'completion', 'bash'], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([141, null]);
});

test('every visible command is in every script', async () => {
  const { stdout } = await run(process.execPath, [bin, '--help']);
  const [, commands = ''] = /^Commands:\n([\s\S]*?)\n\n/m.exec(stdout) ?? [];
  const names = [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  for (const [shell, script] of scripts) {
    const missing = names.filter((name) => name !== 'help' && !script.includes(`'sendoff ${name}'`));
    expect(missing, shell).toEqual([]);
  }
});

test('another shell is an error in the command line that names the supported ones', async () => {
  await expect(run(process.execPath, [bin, 'completion', 'tcsh'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are bash, zsh, fish'),
  });
});
