import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageFolder } from './support/packaged-command.ts';
import { folderOfFile } from './support/temporary-folder.ts';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly env: Readonly<Record<string, string>>; readonly run: string }[];
  };
}

const root = fileURLToPath(new URL('..', import.meta.url));
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;
const folder = folderOfFile();
/** As the runner makes it, with what `npm ci` would install. */
const clone = join(folder, 'clone');
/** The same with the sources compiled, which starts in a third of the time. */
const compiled = join(folder, 'compiled');
let repository: string;

beforeAll(async () => {
  const parts = {
    [clone]: [root, 'bin', 'src', 'package.json', 'tsconfig.json'],
    [compiled]: [await packageFolder(), 'dist', 'package.json'],
  };
  for (const [target, [source = '', ...names]] of Object.entries(parts)) {
    for (const name of names) cpSync(join(source, name), join(target, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'), 'junction');
  }
  cpSync(join(root, 'bin'), join(compiled, 'bin'), { recursive: true });
});
beforeEach(() => {
  repository = mkdtempSync(join(folder, 'repository-'));
  mkdirSync(join(repository, '.git'));
});

const write = (name: string, text: string): void => {
  mkdirSync(dirname(join(repository, name)), { recursive: true });
  writeFileSync(join(repository, name), text);
};

/** Runs the steps as the runner does: expressions are replaced first, in environment and script alike. */
async function runAction(given: Readonly<Record<string, string>>, from = compiled) {
  const inputs = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])),
    ...given,
  };
  const filled = (text: string): string =>
    text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputs[name] ?? '');
  const [output, summary] = ['output', 'summary'].map((name) => join(folder, name)) as [string, string];
  for (const file of [output, summary]) writeFileSync(file, '');
  let [code, log] = [0, ''];
  for (const { env, run } of action.runs.steps) {
    const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
    const files = {
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: folder,
      GITHUB_ACTION_PATH: from,
    };
    const options = { cwd: repository, env: { PATH: process.env['PATH'], ...files, ...own } };
    await new Promise<void>((resolve) => {
      execFile(
        'bash',
        ['--noprofile', '--norc', '-eo', 'pipefail', '-c', filled(run)],
        options,
        (error, stdout, stderr) => {
          code = typeof error?.code === 'number' ? error.code : 0;
          log += stdout + stderr;
          resolve();
        },
      );
    });
  }
  const outputs = Object.fromEntries(
    readFileSync(output, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('=', 2) as [string, string]),
  );
  return { code, log, outputs, summary: readFileSync(summary, 'utf8') };
}

const content = 'How to build, test and change this project. '.repeat(10);

test.each([
  ['pass', content, 'partial', 0],
  ['partial', 'x', 'partial', 1],
  ['partial', 'x', 'fail', 0],
  ['fail', undefined, 'fail', 1],
  ['fail', undefined, 'never', 0],
])('%s (%j) with fail-on %s', async (outcome, text, failOn, expected) => {
  if (text !== undefined) write('AGENTS.md', text);
  const { code, outputs, summary, log } = await runAction({ 'fail-on': failOn });
  expect([code, outputs['outcome']]).toEqual([expected, outcome]);
  expect(log).toContain(`${outcome}: AGENTS.md`);
  expect(summary).toMatch(new RegExp(`^### AGENTS\\.md\n\n    ${outcome}: AGENTS\\.md`));
  const sarif = JSON.parse(readFileSync(outputs['sarif-file'] ?? '', 'utf8')) as { runs: { results: unknown[] }[] };
  expect(sarif.runs[0]?.results).toHaveLength(outcome === 'pass' ? 0 : 1);
});

test('the sources run as the runner clones them', async () => {
  write('AGENTS.md', 'x');
  const { code, outputs } = await runAction({}, clone);
  expect([code, outputs['outcome']]).toEqual([1, 'partial']);
});

test('the worst outcome counts where another file is too long to judge', async () => {
  write('docs/AGENTS.md', ' '.repeat(256 * 1_024 + 1));
  expect((await runAction({ 'fail-on': 'fail' })).outputs['outcome']).toBe('fail');
});

test('inputs are never run, and a file name is no command to the runner', async () => {
  write('AGENTS.md', content);
  for (const path of ['$(touch owned)', '"; touch owned; "', '--help', '`touch owned`']) {
    const { code, outputs } = await runAction({ path });
    expect([path, code, outputs]).toEqual([path, 4, {}]);
  }
  expect((await runAction({ 'fail-on': '$(touch owned)' })).code).toBe(4);
  write('::error::x/AGENTS.md', '');
  const { log } = await runAction({ path: '::error::x' });
  const stopped = /^::stop-commands::(\S+)\n[^]*^::\1::\n/m.exec(log)?.[0] ?? '';
  expect(log.replace(stopped, '')).not.toContain('::error');
  expect(() => readFileSync(join(repository, 'owned'))).toThrow('ENOENT');
});

test('the steps of the action are those of the outputs', () => {
  for (const { value } of Object.values(action.outputs))
    expect(value).toMatch(/^\$\{\{ steps\.measure\.outputs\.[\w-]+ \}\}$/);
});
