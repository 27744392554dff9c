// `npm test` and `npm run test:long`: together they run every test file, and CI runs both.
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const commands = ['test', 'test:long'] as const;
type Command = (typeof commands)[number];

/** With CI set every project is there, whatever is installed on this machine. */
const listed = JSON.parse(
  execFileSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'list', '--filesOnly', '--json'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CI: '1' },
  }),
) as readonly { file: string; projectName: string }[];

const isOf = (command: Command, project: string): boolean =>
  [...(scripts[command] ?? '').matchAll(/--project=([\w-]+)(\*?)/g)].some(([, name = '', more]) =>
    more === '*' ? project.startsWith(name) : project === name,
  );
const commandsOf = (projects: readonly string[]): readonly Command[] =>
  commands.filter((command) => projects.some((project) => isOf(command, project)));

test('each project belongs to one command', () => {
  for (const project of new Set(listed.map(({ projectName }) => projectName)))
    expect(commandsOf([project]), project).toHaveLength(1);
});

test('each test file is run once by one command, and those that use a database once more on PostgreSQL by test:long', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file));
  expect([...new Set(listed.map(({ file }) => relative(root, file)))].sort()).toEqual(files.sort());
  for (const file of files) {
    const runs = listed.filter((run) => relative(root, run.file) === file);
    const projects = runs.map(({ projectName }) => projectName);
    const first = projects.length === 1 ? projects : projects.filter((project) => project !== 'postgres');
    expect(first, file).toHaveLength(1);
    expect(projects.length, file).toBeLessThanOrEqual(2);
    if (file.endsWith('.long.test.ts')) expect(commandsOf(projects), file).toEqual(['test:long']);
  }
});

test('CI runs both commands', () => {
  const lines = readFileSync(join(root, '.ci/run'), 'utf8').split('\n');
  expect(lines.filter((line) => line.startsWith('.ci/run-tests '))).toEqual(
    commands.map((command) => `.ci/run-tests ${command}`),
  );
});

/** Runs `.ci/run-tests` with an npm of which each run has these failed files, and returns what it printed and the runs' arguments. */
async function runTests(command: Command, ...failures: readonly (readonly string[])[]) {
  const folder = temporaryFolder();
  for (const [run, failed] of failures.entries()) {
    const testResults = failed.map((file) => ({
      ...{ status: 'failed', name: join(root, file), message: '' },
      assertionResults: [{ status: 'failed', fullName: 'what it says', failureMessages: ['no'] }],
    }));
    const counts = { numPassedTests: 9, numFailedTests: failed.length, numPendingTests: 0 };
    writeFileSync(join(folder, `${run}.json`), JSON.stringify({ ...counts, testResults }));
  }
  writeFileSync(
    join(folder, 'npm'),
    `#!/usr/bin/env bash
echo "$*" >> '${folder}/calls'
run=$(($(wc -l < '${folder}/calls') - 1))
for word in "$@"; do [[ $word != --outputFile.json=* ]] || cp "${folder}/$run.json" "\${word#*=}"; done
! grep -q '"status":"failed"' "${folder}/$run.json"
`,
  );
  chmodSync(join(folder, 'npm'), 0o700);
  const PATH = [folder, process.env['PATH'] ?? ''].join(delimiter);
  return new Promise<{ code: number; output: string; calls: string[] }>((resolve) => {
    const env = { ...process.env, PATH };
    execFile(join(root, '.ci/run-tests'), [command], { cwd: root, env }, (error, stdout) => {
      const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
      resolve({ code: Number(error?.code ?? 0), output: stdout, calls });
    });
  });
}

test.each(commands)(
  'a few files that fail in %s run again alone, by the same command, and are named as flaky',
  async (command) => {
    const { code, output, calls } = await runTests(command, ['test/a.test.ts', 'test/b.test.ts'], []);
    expect(code).toBe(0);
    expect(calls).toHaveLength(2);
    for (const call of calls) expect(call).toMatch(new RegExp(`^run ${command} -- `));
    expect(calls[1]).toMatch(/ --no-file-parallelism test\/a\.test\.ts test\/b\.test\.ts$/);
    expect(output.split('\n').slice(-3)).toEqual([
      'flaky: failed once, passed alone: test/a.test.ts',
      'flaky: failed once, passed alone: test/b.test.ts',
      '',
    ]);
  },
);

test('a file that fails twice fails CI, and more than five files at once do', async () => {
  expect(await runTests('test', ['test/a.test.ts'], ['test/a.test.ts'])).toMatchObject({ code: 1 });
  const many = Array.from({ length: 6 }, (_, number) => `test/${number}.test.ts`);
  const { code, calls } = await runTests('test', many, []);
  expect(code).toBe(1);
  expect(calls).toHaveLength(1);
});

test('a run without failures names nothing as flaky', async () => {
  const { code, output } = await runTests('test', []);
  expect(code).toBe(0);
  expect(output).toBe('9 passed, 0 failed, 0 skipped\n');
});
