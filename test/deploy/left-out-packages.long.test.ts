// The image has no packages of the local deployment: a program that loaded one would not start.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { packageFolder } from '../support/packaged-command.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const leftOut = [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/ dependencies\.(\S+)/g)].map(
  ([, name = '']) => name,
);
const folder = folderOfFile();

beforeAll(async () => {
  const built = await packageFolder();
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(built, name), join(folder, name), { recursive: true });
  const packages = readdirSync(join(root, 'node_modules')).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(root, 'node_modules', name)).map((each) => `${name}/${each}`) : [name],
  );
  for (const name of packages.filter((each) => !leftOut.includes(each))) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
  }
});

const errorOf = (command: string) =>
  new Promise<string>((resolve) => {
    const sendoff = join(folder, 'bin', 'sendoff.js');
    // Without settings, a program ends when it has loaded all its parts.
    execFile(process.execPath, [sendoff, command], { cwd: folder, env: {} }, (_error, _output, text) => {
      resolve(text);
    });
  });

test('are dependencies', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(leftOut.length).toBeGreaterThan(0);
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(leftOut));
});

test.each([
  ['server', 'SENDOFF_API_TOKEN is not set'],
  ['email-service', 'EMAIL_SERVICE_ENCRYPTION_KEY is not set'],
])('are not needed by sendoff %s', async (command, expected) => {
  expect(await errorOf(command)).toContain(expected);
});

test('are named by a command that needs them, with what to do', async () => {
  expect(await errorOf('demo')).toMatch(
    /^This command needs packages that the image leaves out. Run it in a clone of sendoff\n {2}because: Cannot find package/,
  );
});
