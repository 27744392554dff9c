import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packagedCommand } from '../../support/packaged-command.ts';
import { folderOfFile } from '../../support/temporary-folder.ts';

const bin = await packagedCommand();
const folder = folderOfFile();

beforeAll(() => {
  writeFileSync(join(folder, 'long.md'), 'x'.repeat(200));
  writeFileSync(join(folder, 'short.md'), 'x');
});

/** The command line in a process of its own, away from any .env and any set-up. */
const sendoff = (...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SENDOFF_')));
    execFile(process.execPath, [bin, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });

describe('a failed command never exits with the code of an outcome', () => {
  test.each([
    ['a flag that is none', ['check', '--organisation', 'acme'], /unknown option '--organisation'/],
    ['a command that is none', ['chekc'], /unknown command 'chekc'/],
    ['--org beside --all', ['check', '--org', 'acme', '--all'], /'--all' cannot be used with .*'--org/],
    ['no producer named', ['check'], /Nothing to check: give --org/],
    ['an import that is not there', ['producers', 'import', 'none.jsonl'], /none\.jsonl cannot be read/],
    ['a form of the report that is none', ['report', '--format', 'pdf'], /Allowed choices are text, json/],
    ['no deployment', ['check', '--org', 'acme', '--data', '/nowhere'], /No deployment found/],
    ['a file that is not there', ['measure', 'none.md'], /none\.md cannot be read: there is no such file/],
  ])('%s exits with 4', async (_name, args, message) => {
    const { code, stderr, stdout } = await sendoff('agents-md', ...args);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  });

  test('prints the error as an object on stdout with --json', async () => {
    const { code, stdout } = await sendoff('agents-md', 'check', '--org', 'a b', '--json');
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'validation_failed' } });
  });

  test('does not change the codes of other commands', async () => {
    expect((await sendoff('status')).code).toBe(2);
    expect((await sendoff('status', 'acme', '--data', '/nowhere')).code).toBe(1);
  });
});

test.each([
  [['long.md'], 0],
  [['short.md'], 1],
  [['short.md', 'long.md'], 1],
  [['short.md', 'none.md', 'long.md'], 4],
])('measure %o ends with %i', async (files, code) => {
  expect((await sendoff('agents-md', 'measure', ...files)).code).toBe(code);
});

test.each([[['--help']], [['check', '--help']]])('%o lists the exit codes', async (args) => {
  const { code, stdout } = await sendoff('agents-md', ...args);
  expect(code).toBe(0);
  for (const line of ['0   pass', '1   partial', '2   fail', '3   inconclusive', '4   the command failed']) {
    expect(stdout).toContain(line);
  }
});
