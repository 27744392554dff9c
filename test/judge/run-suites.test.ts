import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runSuites } from './run-suites.ts';
import type { Suite, Verdict } from './suite.ts';
import { type Tools, ToolsMissing } from './tools.ts';

const tools: Tools = { command: (name) => name, environment: {}, debianRoot: '/', python: undefined };

function suiteOf(...verdicts: readonly (Verdict | Error)[]): Suite {
  return {
    name: 'made-up',
    title: 'made up',
    debian: {},
    python: false,
    async *run({ wants }) {
      for (const verdict of verdicts) {
        if (verdict instanceof Error) throw verdict;
        if (wants(verdict.case)) yield verdict;
      }
    },
  };
}

const verdict = (name: string, theirs: string, ours: string): Verdict => ({ case: name, judge: 'Judge', theirs, ours });

async function run(suite: Suite, options: { ci?: boolean; text?: string; toolsMissing?: boolean } = {}) {
  const lines: string[] = [];
  const judged: string[] = [];
  const passed = await runSuites({
    suites: [suite],
    ci: options.ci ?? false,
    ...{ text: options.text ?? '', seed: 1, count: 1 },
    signal: new AbortController().signal,
    async findTools() {
      if (options.toolsMissing === true) throw new ToolsMissing('install named');
      return tools;
    },
    judged: (one) => judged.push(`${one.case}: ${one.agree ? 'agree' : 'differ'}`),
    say: (line) => lines.push(line),
  });
  return { passed, judged, lines };
}

test('passes when every case agrees', async () => {
  const result = await run(suiteOf(verdict('one', 'pass', 'pass'), verdict('two', 'fail', 'fail')));
  expect(result).toEqual({
    passed: true,
    judged: ['one: agree', 'two: agree'],
    lines: ['2 cases agree, 0 differ'],
  });
});

test('fails when one case differs', async () => {
  const result = await run(suiteOf(verdict('one', 'pass', 'pass'), verdict('two', 'fail', 'pass')));
  expect(result).toMatchObject({ passed: false, judged: ['one: agree', 'two: differ'] });
});

test('fails when a suite throws, and reports why', async () => {
  const result = await run(suiteOf(verdict('one', 'pass', 'pass'), new Error('named did not start')));
  expect(result.passed).toBe(false);
  expect(result.lines.join('\n')).toContain('named did not start');
});

test('fails when no case has the selected name', async () => {
  expect(await run(suiteOf(verdict('one', 'pass', 'pass')), { text: 'other' })).toMatchObject({ passed: false });
});

test('skips a suite without its tools, and says what to install', async () => {
  const result = await run(suiteOf(), { toolsMissing: true });
  expect(result.passed).toBe(true);
  expect(result.lines.join('\n')).toContain('install named');
});

test('fails in CI when a suite lacks its tools', async () => {
  expect(await run(suiteOf(), { toolsMissing: true, ci: true })).toMatchObject({ passed: false });
});

test('does not begin with a seed that is no number', () => {
  const words = ['--import', 'tsx', 'test/judge/main.ts', '--seed', 'seven'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(stderr).toMatch(/^error: .*whole number/);
  expect(status).toBe(2);
});
