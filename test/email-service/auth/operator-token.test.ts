import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { readOrMakeOperatorToken } from '../../../src/email-service/auth/operator-token.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('readOrMakeOperatorToken', () => {
  test('creates a token that only its owner may read, and reads the same one at every later start', async () => {
    const path = join(folder, 'db.operator-token');
    const made = await readOrMakeOperatorToken(path);
    expect(made).toEqual({
      token: expect.stringMatching(/^so_operator_[\w-]{43}$/) as string,
      source: path,
      isNew: true,
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toBe(`${made.token}\n`);
    expect(await readOrMakeOperatorToken(path)).toEqual({ ...made, isNew: false });
  });

  test('gives twenty concurrent starts one token, announced by one of them, and leaves one file', async () => {
    const path = join(folder, 'db.operator-token');
    const starts = await Promise.all(Array.from({ length: 20 }, () => readOrMakeOperatorToken(path)));
    expect(new Set(starts.map(({ token }) => token)).size).toBe(1);
    expect(starts.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['db.operator-token']);
  });

  test('refuses an empty file by name instead of accepting an empty credential', async () => {
    const path = join(folder, 'db.operator-token');
    await writeFile(path, '\n');
    await expect(readOrMakeOperatorToken(path)).rejects.toThrow(path);
  });

  test('leaves nothing on a disk that takes empty files only, and names the file', async () => {
    const path = join(folder, 'db.operator-token');
    const module = new URL('../../../src/email-service/auth/operator-token.ts', import.meta.url).href;
    const program = `const { readOrMakeOperatorToken } = await import(${JSON.stringify(module)});
      await readOrMakeOperatorToken(${JSON.stringify(path)}).catch(({ message }) => process.stdout.write(message));`;
    // The limit of zero bytes on files stands for the full disk, which needs the rights to mount one.
    const limited = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, '--import', 'tsx'];
    const { stdout } = await run('/bin/sh', [...limited, '--input-type=module', '--eval', program]);
    expect(stdout).toContain(`the operator token cannot be stored in ${path}: `);
    expect(await readdir(folder)).toEqual([]);
  });
});
