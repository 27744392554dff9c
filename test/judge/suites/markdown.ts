import { readMarkdown } from '../../../src/agents-md/read-markdown.ts';
import { seededChances } from '../../support/seeded-chances.ts';
import { startPythonJudges } from '../python-judges.ts';
import type { Suite } from '../suite.ts';

const PIECES = [
  ...['<!-- ', ' -->', '<!-- W -->', '\n', '\n\n', '\n    ', '\n> ', '\n- ', '\n1. ', '\n```\n', '\n~~~\n', '\n# '],
  ...[
    '`',
    '``',
    '\\',
    '*',
    '_',
    '[W]',
    '(W)',
    '](',
    '[',
    '"',
    '<b>',
    '</b>',
    '&lt;',
    ' ',
    'W',
    'W',
    '\n===\n',
    '\n* * *\n',
  ],
];

/** Random files of what decides where a comment is. Each word is unique, so the hidden words show which comments were found. */
export const markdown: Suite = {
  name: 'markdown',
  title: 'comments and headings of random Markdown files, as found by markdown-it-py',
  debian: {},
  python: true,
  async *run({ tools, wants, seed, count }) {
    const python = startPythonJudges(tools.python);
    try {
      for (let number = 1; number <= count * 10; number += 1) {
        const name = `file ${String(number)} of seed ${String(seed)}`;
        if (!wants(name)) continue;
        const text = randomFile(seed * 1_000_003 + number);
        const { html, headings } = await python.ask<{ html: string[]; headings: number }>('markdown_reading', text);
        const hidden = html.flatMap((one) => one.match(/<!--(?:-?>|[^]*?(?:-->|$))/g) ?? []);
        const ours = readMarkdown(text);
        const visible = new Set(wordsOf(ours.visible));
        yield {
          case: name,
          judge: 'markdown-it-py',
          theirs: JSON.stringify({ headings, hidden: hidden.flatMap(wordsOf).sort() }),
          ours: JSON.stringify({
            headings: ours.headings,
            hidden: wordsOf(text)
              .filter((word) => !visible.has(word))
              .sort(),
          }),
          detail: JSON.stringify(text),
        };
      }
    } finally {
      await python.close();
    }
  },
};

const wordsOf = (text: string): string[] => text.match(/w\d+w/g) ?? [];

function randomFile(seed: number): string {
  const chances = seededChances(seed);
  let words = 0;
  return Array.from({ length: 5 + chances.below(30) }, () => chances.pick(PIECES))
    .join('')
    .replaceAll('W', () => `w${String((words += 1))}w`);
}
