// How `sendoff` comes onto the PATH. `npx sendoff` would, outside a clone, run whatever package of the public registry has that name.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

test('no text of the repository runs sendoff from a registry', () => {
  const folders = ['.ci', 'bench', 'bin', 'deploy', 'docs', 'src', 'test'];
  const texts = [
    ...readdirSync(root),
    ...folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    ),
  ].filter((name) => /\.(?:[cm]?[jt]sx?|md|ya?ml|sh|example)$|file$|openapi\.json$/i.test(name));
  expect(texts.length).toBeGreaterThan(500);
  const fromRegistry = /\b(?:npx|npm exec|pnpm dlx|yarn dlx|bunx)\b[^\n'`]{0,40}\bsendoff\b|\bnpx \$\{/;
  expect(texts.filter((name) => name !== 'test/command-on-path.test.ts' && fromRegistry.test(read(name)))).toEqual([]);
});

test('the line of the README makes sendoff run in any folder', async () => {
  const [, line = ''] = /^(export PATH=\S+)/m.exec(read('README.md')) ?? [];
  const elsewhere = temporaryFolder();
  const { stdout } = await run('/bin/sh', ['-ec', `${line}\ncd '${elsewhere}'\nsendoff --version`], { cwd: root });
  expect(stdout).toBe(`${(JSON.parse(read('package.json')) as { version: string }).version}\n`);
});
