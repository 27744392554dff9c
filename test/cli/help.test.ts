import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packagedCommand } from '../support/packaged-command.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

const bin = await packagedCommand();
const folder = folderOfFile();

/** The output, whatever the exit code. */
const shown = async (args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
  const running = promisify(execFile)(process.execPath, [bin, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  const { stdout, stderr } = await running.catch((error: unknown) => error as { stdout: string; stderr: string });
  return (stdout + stderr).replace(/\s+/g, ' ');
};

test('--help shows the default of --data', async () => {
  expect(await shown(['demo', '--help'])).toContain('(default: a temporary folder)');
  for (const command of ['dev', 'publish', 'onboard', 'status', 'cancel']) {
    expect(await shown([command, '--help'])).toContain('(default: "./data/dev")');
  }
});

test('names a .env of the wrong type, and the reason', async () => {
  mkdirSync(join(folder, '.env'));
  expect(await shown(['status', 'acme'])).toContain('.env cannot be read: it is a folder');
  rmSync(join(folder, '.env'), { recursive: true });
});

test('names SENDOFF_URL if it is not a URL', async () => {
  const env = { SENDOFF_URL: 'foo', SENDOFF_API_TOKEN: 'token' };
  expect(await shown(['status', 'acme'], env)).toContain('SENDOFF_URL must be an http or https URL; found "foo"');
});

test('names a missing file of records', async () => {
  const missing = join(folder, 'missing.json');
  expect(await shown(['dns', 'check', 'acme.test', '--records', missing])).toContain(
    `${missing} cannot be read: there is no such file`,
  );
});
