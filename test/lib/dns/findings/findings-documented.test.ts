import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FindingCode } from '../../../../src/lib/dns/findings/finding.ts';

const page = readFileSync(new URL('../../../../docs/dns-findings.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

test('every finding code is documented once, and no other', () => {
  const documented = rows.map(([code]) => code!.replaceAll('`', ''));
  expect([...documented].sort()).toEqual(Object.values(FindingCode).sort());
});

test('every row says how severe it is, what it means and what to do', () => {
  for (const row of rows) {
    expect(row).toHaveLength(4);
    expect(row[1]).toMatch(/^(?:error|warning|error or warning)$/);
    expect(row[2]).toMatch(/^[A-Z].*\.$/);
    expect(row[3]).toMatch(/^[A-Z].*\.$/);
  }
});
