import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { packagedCommand } from '../../support/packaged-command.ts';
import { folderOfFile, writeProgram } from '../../support/temporary-folder.ts';

const bin = await packagedCommand();
const run = promisify(execFile);
const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];
const scripts = new Map<Shell, string>();

/** On PATH, with `sendoff`; and the working directory. */
const folder = folderOfFile();
const options = { cwd: folder, env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` } };

beforeAll(async () => {
  writeProgram(folder, 'sendoff', `exec '${process.execPath}' '${bin}' "$@"`);
  writeFileSync(join(folder, 'AGENTS.md'), '');
  mkdirSync(join(folder, 'data'));
  for (const shell of shells) scripts.set(shell, (await run('sendoff', ['completion', shell], options)).stdout);
});

/** Prints what the shell offers. The script is followed by the words, of which the last is being typed. */
const programs: Record<Shell, readonly string[]> = {
  bash: [
    ...['bash', '-c'],
    'eval "$1"; shift; compopt() { COMPREPLY=("$@"); }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sendoff; printf "%s\\n" "${COMPREPLY[@]}"',
    'bash',
  ],
  zsh: [
    ...['zsh', '-f', '-c'],
    'compdef() {}; _describe() { print -rl -- "${(@P)2}" }; _files() { print -r -- _files "$@" }; eval "$1"; shift; words=("$@"); CURRENT=$#; _sendoff',
    'zsh',
  ],
  fish: [
    ...['fish', '-N', '-c'],
    'set -g fish_complete_path; echo $argv[1] | source; complete -C (string join " " -- (string escape -- $argv[2..-2]) "$argv[-1]")',
  ],
};

async function offer(shell: Shell, ...words: string[]): Promise<string[]> {
  const [command = '', ...given] = programs[shell];
  const { stdout, stderr } = await run(command, [...given, scripts.get(shell) ?? '', 'sendoff', ...words], options);
  expect(stderr).toBe('');
  const separator = shell === 'zsh' ? ':' : '\t';
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split(separator, 1)[0] ?? '']));
}

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['--version']).status === 0;
/** What is offered for a file, and for a folder. */
const paths: Record<Shell, readonly [readonly string[], readonly string[]]> = {
  bash: [
    ['-o', 'default'],
    ['-o', 'dirnames'],
  ],
  zsh: [['_files'], ['_files -/']],
  fish: [['AGENTS.md', 'data/', 'sendoff'], ['data/']],
};

// Other shells are tested where they are installed.
describe.each(shells.filter(isInstalled))('%s', (shell) => {
  test.each([
    ['a command', ['stat'], ['status']],
    ['an option', ['status', 'acme', '--js'], ['--json']],
    ['an option after a word with spaces and quotes', ['status', 'a "b\' c', '--js'], ['--json']],
    ['an option of the program itself', ['--he'], ['--help']],
    ['an option after one that ends the command', ['status', '--help', '--js'], ['--json']],
    ['a command of a group', ['agents-md', 'mea'], ['measure']],
    ['a value', ['agents-md', 'measure', '--format', 'sa'], ['sarif']],
    ['values', ['demo', '--fail', 'F'], ['F1', 'F2', 'F3']],
    ['an argument', ['completion', 'z'], ['zsh']],
    // It is no place for commands.
    ['nothing for a value that it does not know', ['onboard', '--tenant', ''], []],
    ['nothing for a word that nothing begins with', ['unknown', 'xyz'], []],
    ['files', ['agents-md', 'measure', ''], paths[shell][0]],
    ['folders', ['dev', '--data', ''], paths[shell][1]],
  ])('offers %s', async (_, words, expected) => {
    expect(await offer(shell, ...words)).toEqual(expected);
  });
});

test('offers every visible command', async () => {
  const { stdout: help } = await run('sendoff', ['--help'], options);
  const [, commands = ''] = /^Commands:\n([\s\S]*?)\n\n/m.exec(help) ?? [];
  const names = [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  const { stdout } = await run('sendoff', ['__complete', '--', ''], options);
  const offered = stdout.split('\n').map((line) => line.split('\t', 1)[0] ?? '');
  expect(offered.filter((word) => !word.startsWith('-'))).toEqual(names.filter((name) => name !== 'help'));
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

test('another shell is an error in the command line that names the supported ones', async () => {
  await expect(run(process.execPath, [bin, 'completion', 'tcsh'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are bash, zsh, fish'),
  });
});
