import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { measureFile } from '../../src/agents-md/measure-file.ts';

const measure = (text: string) => measureFile(new TextEncoder().encode(text), false);
const visible = (text: string) => measure(text).measurement.visibleCodePoints;
const words = (count: number) => 'x'.repeat(count);

function utf16(text: string, order: 'le' | 'be'): Uint8Array {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

describe('the threshold counts code points', () => {
  test.each([
    ['ASCII', 'a'],
    ['CJK', '漢'],
    ['an emoji of two UTF-16 units', '🚀'],
  ])('%s: 199 are a stub, 200 and 201 are content', (_, character) => {
    const counts = [199, 200, 201];
    const measured = counts.map((count) => measure(character.repeat(count)));
    const classes = measured.map(({ measurement }) => measurement);
    expect(classes.map(({ contentClass }) => contentClass)).toEqual(['stub', 'content', 'content']);
    expect(classes.map(({ visibleCodePoints }) => visibleCodePoints)).toEqual([199, 200, 201]);
  });

  test('white space at both ends does not count, between words it does', () => {
    expect(visible(`\n\n  ${words(100)} ${words(98)}  \n\n`)).toBe(199);
  });

  test.each([
    ['zero-width spaces', '\u200b'.repeat(250), 0],
    ['joiners, marks of direction, soft hyphens and tags', '\u2060\u200e\u00ad\u{e0041}\ufeff'.repeat(60), 0],
    ['variation selectors and fillers', '\ufe0f\u3164\u115f\u180e'.repeat(60), 0],
    ['controls', '\u0007\u001b'.repeat(120), 0],
    ['Braille patterns without a dot', '\u2800'.repeat(250), 0],
    ['zero-width characters between letters', 'a\u200b'.repeat(10), 10],
    ['white space between two letters', `a${' \t\n\u00a0\u3000'.repeat(100)}b`, 3],
    ['an emoji of three parts', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 3],
    ['an emoji with a colour and a variation selector', '\u{1f44d}\u{1f3fd}\u2764\ufe0f', 3],
    ['Devanagari with its vowels and joiners', '\u0915\u094d\u200d\u0937\u093f', 4],
    ['a letter with a combining accent', 'e\u0301', 2],
    ['an Arabic sign around a number', '\u0600\u0661', 2],
  ])('%s', (_, text, count) => {
    expect(visible(text)).toBe(count);
  });

  test('front matter counts', () => {
    expect(visible('---\nname: acme\n---\nGo.')).toBe('---\nname: acme\n---\nGo.'.length);
  });
});

describe('the encoding never changes the length', () => {
  test.each([
    ['utf-8 with a byte order mark', new TextEncoder().encode(`\ufeff${words(200)}`), 'utf-8'],
    ['utf-16le', utf16(words(200), 'le'), 'utf-16le'],
    ['utf-16be', utf16(words(200), 'be'), 'utf-16be'],
  ])('%s', (_, bytes, encoding) => {
    const { measurement, notText } = measureFile(bytes, false);
    expect(measurement).toMatchObject({ visibleCodePoints: 200, codePoints: 200, encoding, contentClass: 'content' });
    expect(notText).toBeNull();
  });

  test.each(['\r\n', '\r'])('a line end of %j is one character', (lineEnd) => {
    expect(visible(`a${lineEnd}b`)).toBe(3);
  });

  test('counts and reports invalid UTF-8', () => {
    const { measurement } = measureFile(Uint8Array.of(0x61, 0xff, 0x62), false);
    expect(measurement).toMatchObject({ visibleCodePoints: 3, encoding: 'utf-8-damaged' });
  });

  test('ignores half a character at the end of a truncated file', () => {
    const bytes = new TextEncoder().encode('漢漢').subarray(0, 5);
    expect(measureFile(bytes, true).measurement).toMatchObject({
      visibleCodePoints: 1,
      encoding: 'utf-8',
      bytes: 5,
    });
  });
});

describe('comments are found where CommonMark finds them', () => {
  test.each([
    ['1,000 characters of comment only', `<!-- ${words(1_000)} -->`, ''],
    ['a comment of several blocks', 'a\n\n<!-- b\n\nc\n\n-->\n\nd', 'a\n\n\n\nd'],
    ['an unclosed one at the start of a block runs to the end', `a\n<!-- b\n\n${words(300)}`, 'a'],
    ['an unclosed one inside a paragraph is text', 'a <!-- b\n\nc', 'a <!-- b\n\nc'],
    ['an inline one', 'a <!-- b --> c', 'a  c'],
    ['an inline one over two lines', 'a <!-- b\nc --> d', 'a  d'],
    ['text behind the end mark', '<!-- a --> b', 'b'],
    ['a second one behind the end mark', '<!-- a --> b <!-- c --> d', 'b  d'],
    ['a second one behind the end mark, until the end of that line', '<!-- a --> b <!-- c\nd --> e', 'b \nd --> e'],
    ['an unclosed one in a quote ends with the quote', '> <!-- a\n\nb', '> \n\nb'],
    ['an unclosed one in a list item ends with the item', '- <!-- a\n\n  b\n\nc', '- \nc'],
    ['one between HTML elements', '<div>\n<!-- a -->\nb <!-- c --></div>', '<div>\n\nb </div>'],
    ['one behind an attribute', '<p title="a"><!-- b -->c</p>', '<p title="a">c</p>'],
    ['the shortest ones', '<!--> a <!---> b', 'a  b'],
    ['one in a heading', '# a <!-- b -->', '# a'],
    ['one over two lines of a quote', '> a <!-- b\n> c --> d', '> a  d'],
    [
      'one over two lines of an item in a quote',
      '> - a <!-- b\n>   > c\n> - d --> e',
      '> - a <!-- b\n>   > c\n> - d --> e',
    ],
    ['one over lines of a paragraph that goes on without marks', '> a <!-- b\nc\n   d --> e', '> a  e'],
    ['one whose second line begins with an indented mark', 'a <!-- b\n     > c --> d', 'a  d'],
    ['one of a block, over two lines of a quote', '> <!-- a\n> b -->\n> c', '> \n> c'],
    ['one behind a definition', '[a]: b\n[c]: d\ne <!-- f --> g', '[a]: b\n[c]: d\ne  g'],
    ['one in an underlined heading', 'a <!-- b\nc --> d\n===', 'a  d\n==='],
    ['one that interrupts a paragraph', 'a\n<!-- b -->\nc', 'a\n\nc'],
  ])('%s', (_, text, expected) => {
    expect(measure(text).excerpt).toBe(expected);
  });

  test.each([
    ['in a fence of backticks', '```\n<!-- a -->\n```'],
    ['in a fence of tildes that backticks do not close', '~~~ html\n```\n<!-- a -->\n~~~'],
    ['in a fence that a shorter one does not close', '````\n```\n<!-- a -->\n````'],
    ['in a fence that nobody closes', '```\n<!-- a -->'],
    ['in a fence of a list item', '- b\n\n  ```\n  <!-- a -->\n  ```'],
    ['in a fence of a quote', '> ```\n> <!-- a -->\n> ```'],
    ['in indented code', 'b\n\n    <!-- a -->'],
    ['in a code span', 'use `<!-- a -->` to hide'],
    ['in a code span of two backticks', 'use `` ` <!-- a --> `` to hide'],
    ['behind a backslash', 'a \\<!-- b -->'],
    ['in an attribute', 'a <b title="<!-- c -->">d</b>'],
    ['in an attribute of a block', '<div title="<!-- a\n-->">\nb\n</div>'],
    ['in an attribute between apostrophes', "<img alt='<!-- a -->'>"],
    ['in an attribute that is not closed', '<div title="<!-- a -->\nb'],
    ['in the title of a link', '[a](b "<!-- c -->")'],
    ['in the address of a link', '[a](<!-- c -->)'],
    ['in a processing instruction', '<? <!-- a --> ?>'],
    ['in an attribute on another line of a quote', '> <div\n> title="<!-- a -->">'],
    ['in CDATA', 'a <![CDATA[ <!-- b --> ]]>'],
  ])('%s it is content', (_, text) => {
    expect(measure(text).excerpt).toBe(text);
  });

  test.each([
    ['after a closed fence', '```\na\n```\n<!-- b -->', '```\na\n```'],
    ['indented, inside a paragraph', 'a\n    <!-- b -->', 'a'],
    ['in a list item', '- <!-- b -->', '-'],
    ['after the list item that held an open fence', '- ```\n  a\n\n<!-- b -->', '- ```\n  a'],
    ['after a backtick without a partner', 'a ` <!-- b -->', 'a `'],
  ])('%s it is none', (_, text, expected) => {
    expect(measure(text).excerpt).toBe(expected);
  });

  const hidden = `<!-- ${words(241)} -->`;
  test.each([
    ['behind four spaces and backticks, which close no fence', ['```', '    ```', hidden, '```']],
    ['behind a tab and backticks', ['```', '\t```', hidden, '```']],
    ['behind a space, a tab and tildes', ['~~~', ' \t~~~', hidden, '~~~']],
    ['behind backticks four columns from the fence of a list item', ['- ```', '      ```', `  ${hidden}`, '  ```']],
    ['behind backticks four columns from the fence of a quote', ['> ```', '>     ```', `> ${hidden}`, '> ```']],
    ['behind the mark of a quote in a fence outside of quotes', ['```', '> ```', hidden, '```']],
    ['behind the mark of a list item in a fence', ['```', '- ```', hidden, '```']],
    ['behind a second quote mark in the fence of a quote', ['> ```', '> > ```', `> ${hidden}`, '> ```']],
    ['in the fence of a quote whose end has a tab behind its mark', ['> ```', `>\t${hidden}`, '> ```']],
    ['indented behind a thematic break of stars', ['* * *', `    ${hidden}`]],
    ['indented behind a thematic break of hyphens', ['a', '', '- - -', `    ${hidden}`]],
    ['indented behind a thematic break of underscores', ['_ _ _', `\t${hidden}`]],
    ['indented behind a thematic break in a list item', ['- * * *', `      ${hidden}`]],
    ['indented behind an underlined heading', ['a', '===', `    ${hidden}`]],
    ['indented behind a heading that ends a quote', ['> a', '# b', `    ${hidden}`]],
    ['indented by five columns behind the mark of a list item', [`-     ${hidden}`]],
    ['indented behind an item that a blank line ended before its text', ['-', '', `    ${hidden}`]],
  ])('250 characters %s are content', (_, lines) => {
    const { excerpt, measurement } = measure(lines.join('\n'));
    expect(measurement.contentClass).toBe('content');
    expect(measurement.visibleCodePoints).toBeGreaterThanOrEqual(250);
    expect(excerpt).toContain('<!--');
  });

  test.each([
    ['a fence that three spaces and backticks close', ['```', 'a', '   ```', hidden]],
    ['the fence of a quote that a line of the quote closes', ['> ```', '> a', '> ```', `> ${hidden}`]],
    ['the fence of a quote, which ends without a mark', ['> ```', '> a', hidden]],
    ['the fence of a list item that a line of the item closes', ['- ```', '  a', '  ```', `  ${hidden}`]],
    ['the fence of a list item, which ends with the item', ['1. ```', '   a', hidden]],
    ['the fence of a list item, closed three columns from it', ['- ```', '  a', '     ```', `  ${hidden}`]],
    ['the fence of an item in a quote', ['> - ```', '>   a', '>   ```', `>   ${hidden}`]],
    ['a list item of three stars and a word', ['* * * a', `      ${hidden}`]],
    ['the paragraph of a quote that goes on without a mark', ['> a', `    ${hidden}`]],
    ['a number that begins no list inside a paragraph', ['a', `2. ${hidden}`]],
    ['a thematic break', ['* * *', hidden]],
  ])('behind %s they are a comment', (_, lines) => {
    const { excerpt, measurement } = measure(lines.join('\n'));
    expect(measurement.visibleCodePoints).toBeLessThan(30);
    expect(excerpt).not.toContain('<!--');
  });

  test('headings in comments and code are not counted', () => {
    const { measurement } = measure('# a\n\n## b\n\n<!--\n# c\n-->\n\n```\n# d\n```\n#e');
    expect(measurement.headings).toBe(2);
  });

  test.each([
    ['open comments', 'a <!-- '.repeat(40_000)],
    ['backticks', '`'.repeat(260_000) + 'x'],
    ['runs of backticks', '` `` '.repeat(50_000) + '<!--'],
    ['a fence of one long line', '```\n' + '`'.repeat(250_000) + 'x'],
    ['quote marks', '> '.repeat(130_000)],
    ['list marks', '- '.repeat(130_000)],
    ['one-letter lines', 'a\n'.repeat(130_000)],
    ['blank lines in a thousand list items', `${'- '.repeat(1_000)}a${'\n'.repeat(255_000)}`],
    ['white space in a thousand list items', `${'- '.repeat(1_000)}a\n${' '.repeat(255_000)}b`],
    ['tabs behind list marks', '-\t'.repeat(130_000)],
    ['a thematic break that is none', `${'- '.repeat(130_000)}a`],
    ['quotes and lines that go on with them', '> > > a\nb\n'.repeat(26_000)],
    ['marks of emphasis', '*_'.repeat(130_000)],
    ['opening brackets', '['.repeat(260_000)],
    ['open links', '[a]('.repeat(65_000)],
    ['references', '[a]'.repeat(87_000)],
    ['underlined headings', 'a\n=\n'.repeat(65_000)],
    ['quotes in lists', '> - '.repeat(65_000)],
    ['numbered lists', '1. '.repeat(87_000)],
    ['list items', '- a\n'.repeat(65_000)],
    ['open instructions', 'a <? '.repeat(52_000)],
    ['open attributes', '<a b="'.repeat(43_000)],
    ['open attributes in a block', `<div ${'"<!--'.repeat(52_000)}`],
    ['entities', '&amp;'.repeat(52_000)],
    ['table rows', '| a | b |\n'.repeat(26_000)],
    ['stars that break nothing', `${'* '.repeat(130_000)}a`],
    ['list marks, and blank lines', `${'+ '.repeat(65_000)}a${'\n'.repeat(130_000)}`],
    ['list marks, and white space', `${'+ '.repeat(65_000)}a\n${' '.repeat(130_000)}b`],
    ['white space in a heading', `# a${' '.repeat(262_000)}b`],
    ['white space at the end of a line', `a${' '.repeat(262_000)}b \nc`],
    ['blank lines in a comment', `<!--${'\n'.repeat(262_000)}a`],
    [
      'list items indented ever more',
      Array.from({ length: 500 }, (_, depth) => `${' '.repeat(2 * depth)}- a\n`).join(''),
    ],
    ['declarations', 'a <!A '.repeat(43_000)],
    ['open CDATA', 'a <![CDATA['.repeat(24_000)],
    ['pairs of brackets', `${'['.repeat(130_000)}${']'.repeat(130_000)}`],
    ['open titles', '[a](b "'.repeat(37_000)],
    ['paragraphs of open links', `${'[a]('.repeat(2_000)}<!--\n\n`.repeat(32)],
    ['definitions of references', '[a]: b\n'.repeat(37_000)],
    ['inline comments', 'a <!-- b -->'.repeat(21_000)],
    ['comments over two lines', 'a <!-- b\nc -->\n'.repeat(17_000)],
    ['comments in code spans, and another', `\`${'<!--\n'.repeat(26_000)}\` ${'<!--\n'.repeat(26_000)}-->`],
    ['comments in HTML', `<div>${'<!-- a -->'.repeat(26_000)}`],
  ])('measures 256 KiB of %s in linear time', (_, text) => {
    const begun = process.cpuUsage();
    measure(text);
    // The last paragraph has a comment, so its inlines are parsed.
    measure(`${text.slice(0, 262_000)} <!-- a -->`);
    // They take a second; a rule whose work grows with the square of the length takes minutes.
    expect(process.cpuUsage(begun).user / 1_000_000).toBeLessThan(5);
  });

  test('in fifty quotes, and in more they are content', () => {
    expect(visible(`${'>'.repeat(50)} <!-- a -->`)).toBe(50);
    expect(visible(`${'>'.repeat(51)} a\n<!-- b -->`)).toBe(53);
  });

  test('not in a paragraph that has too many links to be parsed in time', () => {
    const links = '[a](b) '.repeat(3_000);
    expect(visible(`${links}<!-- a -->`)).toBe(links.length + 10);
    expect(visible(`${links.slice(0, 7_000)}<!-- a -->`)).toBe(6_999);
  });

  test('an underlined heading that begins with # is not counted', () => {
    expect(measure('#a\n===\n\n# b').measurement.headings).toBe(1);
  });
});

describe('the class of a short text', () => {
  test.each([
    ['', 'empty'],
    [' \n\t\n', 'empty'],
    ['<!-- nothing yet -->', 'empty'],
    ['Run the tests.', 'stub'],
    ['@CLAUDE.md', 'pointer'],
    ['@CLAUDE.md\n@docs/style.md\n', 'pointer'],
    ['See CLAUDE.md', 'pointer'],
    ['# Agents\n\nPlease read [the guide](docs/guide.md).\n', 'pointer'],
    ['CLAUDE.md\n', 'pointer'],
    ['See the tests before you change a thing.', 'stub'],
    ['\u200b'.repeat(250), 'empty'],
    ['Use Node.js 20 for everything.', 'stub'],
    ['Read package.json for the scripts. See src/main.ts first.', 'stub'],
    ['Use [pnpm](https://pnpm.io) for everything.', 'stub'],
    ['Follow https://www.conventionalcommits.org in every commit.', 'stub'],
    ['See CLAUDE.md. Run `npm test` before you commit.', 'stub'],
    ['Refer to v1.25 of the API when in doubt.', 'stub'],
    ['Use tabs. See the .editorconfig file.', 'stub'],
    ['- See [docs/agents.md](docs/agents.md)\n- Read CONTRIBUTING.md.', 'pointer'],
    ['> Please refer to `.github/copilot-instructions.md` for instructions.', 'pointer'],
    ['Follow the guidelines in ./CONTRIBUTING.rst.', 'pointer'],
    ['See https://docs.acme.example/agents for everything.', 'pointer'],
    ['https://docs.acme.example/agents', 'pointer'],
    ['[The guide](docs/guide.md)\n', 'pointer'],
    ['@.cursor/rules/main.mdc\n', 'pointer'],
    ['**See CLAUDE.md**', 'pointer'],
    ['This project uses CLAUDE.md and Node.js.', 'stub'],
    ['CLAUDE.md', 'broken_link'],
    [`version https://git-lfs.github.com/spec/v1\noid sha256:${words(64)}\nsize 12345\n`, 'lfs_pointer'],
    [`version https://git-lfs.github.com/spec/v1\nx-note ${words(200)}\n`, 'lfs_pointer'],
  ])('%j is read as %s', (text, contentClass) => {
    expect(measure(text).measurement.contentClass).toBe(contentClass);
  });

  test('a pointer names the files it points to', () => {
    expect(measure('See CLAUDE.md and docs/style.md').namedFiles).toEqual(['CLAUDE.md', 'docs/style.md']);
  });
});

describe('a symlink as raw hosts serve it', () => {
  test.each([
    ['CLAUDE.md', 'AGENTS.md', { leadsTo: 'CLAUDE.md' }],
    ['./docs/../docs/agents.txt', 'AGENTS.md', { leadsTo: 'docs/agents.txt' }],
    ['../CLAUDE.md', 'docs/AGENTS.md', { leadsTo: 'CLAUDE.md' }],
    ['../CLAUDE.md', 'AGENTS.md', 'escapes'],
    ['docs/../../../secret.md', 'AGENTS.md', 'escapes'],
    ['/etc/motd.txt', 'AGENTS.md', 'escapes'],
    ['CLAUDE.md\n', 'AGENTS.md', null],
    ['see CLAUDE.md', 'AGENTS.md', null],
    ['@CLAUDE.md', 'AGENTS.md', null],
    ['https://example.com/a.md', 'AGENTS.md', null],
    ['.cursor/rules/main.mdc', 'AGENTS.md', { leadsTo: '.cursor/rules/main.mdc' }],
    ['.rules', 'AGENTS.md', { leadsTo: '.rules', isGuess: true }],
    ['.github/copilot-instructions', 'AGENTS.md', { leadsTo: '.github/copilot-instructions', isGuess: true }],
    ['CLAUDE', 'AGENTS.md', { leadsTo: 'CLAUDE', isGuess: true }],
    ['../.rules', 'AGENTS.md', 'escapes'],
    ['.rules\n', 'AGENTS.md', null],
    ['...', 'AGENTS.md', null],
    ['@AGENTS', 'AGENTS.md', null],
    ['{{placeholder}}', 'AGENTS.md', null],
    ['javascript:alert(1)', 'AGENTS.md', null],
    [words(199), 'AGENTS.md', { leadsTo: words(199), isGuess: true }],
    [words(200), 'AGENTS.md', null],
    [`${words(252)}.md`, 'AGENTS.md', { leadsTo: `${words(252)}.md` }],
    [`${words(253)}.md`, 'AGENTS.md', null],
  ])('%j in %s', (body, path, expected) => {
    expect(measureFile(new TextEncoder().encode(body), false, path).symlink).toEqual(expected);
  });

  test('is not the beginning of a longer file', () => {
    expect(measureFile(new TextEncoder().encode('CLAUDE.md'), true).symlink).toBeNull();
  });
});

test.each([
  ['a\0b', 'NUL characters'],
  ['\n<!DOCTYPE html><title>Sign in</title>', 'an HTML page'],
  ['<html lang="en">', 'an HTML page'],
  ['<b>bold</b> text', null],
])('%j holds %s', (text, notText) => {
  expect(measure(text).notText).toBe(notText);
});

test('our own AGENTS.md passes', () => {
  const { measurement } = measureFile(readFileSync(new URL('../../AGENTS.md', import.meta.url)), false);
  expect(measurement).toMatchObject({ contentClass: 'content', encoding: 'utf-8', truncated: false, headings: 3 });
});
