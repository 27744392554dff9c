import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answerTable as ofPostmark } from '../../src/email-provider/adapters/postmark/answer-table.ts';
import { answerTable as ofResend } from '../../src/email-provider/adapters/resend/answer-table.ts';
import { answerTable as ofSes } from '../../src/email-provider/adapters/ses/answer-table.ts';

const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
const word = (text: string): string => (text === 'any' ? 'any' : `\`${text}\``);

test.each([
  ['Resend', ofResend.map(([status, code, meaning, why]) => [word(status), word(code), meaning, why])],
  ['Postmark', ofPostmark.map(([status, code, meaning, why]) => [word(status), word(code), meaning, why])],
  ['SES', ofSes.map(([name, meaning, why]) => [word(name), meaning, why])],
])('docs/providers.md has the table of answers of %s', (_provider, rows) => {
  expect(page).toContain(rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n'));
});
