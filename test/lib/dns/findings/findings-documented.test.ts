import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../../../src/lib/dns/findings/diagnose.ts';
import { findingRules } from '../../../../src/lib/dns/findings/finding-rules.ts';
import { KEY } from '../collected.ts';
import { findingCases } from './finding-cases.ts';

const page = readFileSync(new URL('../../../../docs/dns-findings.md', import.meta.url), 'utf8');
const sections = page.split(/^#+ /m).filter((section) => section.startsWith('`'));

test('docs/dns-findings.md has one section for each finding code', () => {
  const documented = sections.map((section) => section.split('`')[1]);
  expect(documented.sort()).toEqual(Object.keys(findingRules).sort());
});

describe('a section has the severity, the meaning, what the tenant reads, and what to do', () => {
  test.each(findingCases.filter(({ code }, at) => findingCases.findIndex((one) => one.code === code) === at))(
    '$code',
    ({ code, record, domain = 'acme.com', beside = [], severity = 'error' }) => {
      const [finding] = diagnose(domain, [record, ...beside]).records[0]!.findings;
      const section = sections.find((one) => one.startsWith(`\`${code}\`\n`));
      const [, meaning, quotation, whatToDo] = section?.split('\n\n') ?? [];
      expect(meaning).toMatch(/^\*\*(?:Error|Warning|Error or warning)\.\*\* [A-Z][^]*\.$/);
      expect(meaning?.toLowerCase().split('.**')[0]).toContain(severity);
      expect(quotation).toBe(`> ${finding!.fix.replaceAll(KEY, `${KEY.slice(0, 8)}…`)}`);
      expect(whatToDo).toMatch(/^The tenant [^]*\.\s*$/);
    },
  );
});
