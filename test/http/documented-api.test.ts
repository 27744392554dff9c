import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ProblemCode, problemCodes } from '../../src/lib/http/problem-codes.ts';

const document = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');

test('docs/http-api.md lists every error code with its status, its meaning and what to do', () => {
  const documented = document.split('\n').filter((line) => /^\| [45]\d\d \| `/.test(line));
  const rows = Object.entries(problemCodes).map(([code, kind]) => {
    const { status, when, remedy } = kind;
    const program = 'only' in kind ? kind.only : 'both';
    return `| ${status} | \`${code as ProblemCode}\` | ${when} | ${remedy} | ${program} |`;
  });
  expect(documented).toEqual(rows);
});
