import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Reason, reasons } from '../../src/agents-md/reasons.ts';

test('docs/agents-md.md lists every reason with the text of the code', () => {
  const page = readFileSync(new URL('../../docs/agents-md.md', import.meta.url), 'utf8');
  const rows = page
    .slice(page.indexOf('\n## Reasons'))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  const expected = Object.entries<Reason>(reasons).map(([code, { outcome, message, remedy }]) => [
    `\`${code}\``,
    outcome ?? 'none: inconclusive',
    message,
    [remedy.summary, ...remedy.steps].join(' '),
  ]);
  expect(rows).toEqual(expected);
});
