import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { Compile } from 'typebox/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import { measureFiles } from '../../../src/cli/agents-md/measure-files.ts';
import { TEMPLATE } from '../../../src/cli/agents-md/template.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The parts that the tests read. */
interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { id: string; help: { text: string } }[] } };
    readonly invocations: readonly { readonly executionSuccessful: boolean }[];
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly { physicalLocation: { artifactLocation: { uri: string } } }[];
    }[];
  }[];
}

const content = 'How to build, test and change this project. '.repeat(10);
let folder: string;
let printed: string;
let messages: string;

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
});

const measure = (
  files: string | readonly string[],
  { format = 'text', stdin = '' }: { format?: 'text' | 'json' | 'sarif'; stdin?: string | Buffer } = {},
) => {
  printed = '';
  messages = '';
  return measureFiles(typeof files === 'string' ? [files] : files, {
    format,
    stdin: Readable.from([stdin]),
    write: (text) => void (printed += text),
    writeMessage: (text) => void (messages += text),
  });
};

const measureJson = async (file: string, stdin?: string) => {
  const code = await measure(file, { format: 'json', ...(stdin === undefined ? {} : { stdin }) });
  return { code, ...(JSON.parse(printed) as object) };
};

function fileWith(text: string, name = 'AGENTS.md'): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function linkTo(target: string, name = 'AGENTS.md'): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(target, file);
  return file;
}

const isRepository = (name = '.'): void => void mkdirSync(join(folder, name, '.git'), { recursive: true });

test.each([
  [200, 0, 'pass', '200 visible characters'],
  [199, 1, 'partial', '199 visible characters'],
  [1, 1, 'partial', '1 visible character'],
  [0, 1, 'partial', '0 visible characters'],
])('%i visible characters end with %i: %s', async (count, exitCode, outcome, counts) => {
  expect(await measure(fileWith('x'.repeat(count)))).toBe(exitCode);
  expect(printed).toContain(`${outcome}: `);
  expect(printed).toContain(`${counts} (200 needed)`);
});

test('measures the first 256 KiB of a longer file', async () => {
  expect(await measure(fileWith(`${' '.repeat(256 * 1_024)}${'x'.repeat(300)}`))).toBe(3);
  expect(printed).toContain('inconclusive: ');
  expect(await measure(fileWith('x'.repeat(256 * 1_024 + 1)))).toBe(0);
  expect(printed).toContain('only its beginning');
});

test('--format json prints the measurement', async () => {
  expect(await measureJson(fileWith('x'))).toMatchObject({ outcome: 'partial', measurement: { visibleCodePoints: 1 } });
});

test('names an unreadable file with the reason', async () => {
  const none = join(folder, 'none.md');
  await expect(measure(none)).rejects.toThrow(`${none} cannot be read: there is no such file`);
  const inNone = join(folder, 'none', 'AGENTS.md');
  await expect(measure(inNone)).rejects.toThrow(`${inNone} cannot be read: there is no such file`);
  await expect(measure(fileWith('a\0'))).rejects.toThrow('contains NUL characters');
});

describe('several files', () => {
  test('are measured in order, with a line each, and exit with the highest code', async () => {
    const files = [fileWith(content, 'a.md'), fileWith('x', 'b.md'), fileWith(content, 'c.md')];
    expect(await measure(files)).toBe(1);
    expect(printed.split('\n').map((line) => line.split(' has ')[0])).toEqual([
      `pass: ${files[0]}`,
      `partial: ${files[1]}`,
      `pass: ${files[2]}`,
      '',
    ]);
  });

  test('exit with 4 if one cannot be measured; the others are measured', async () => {
    const files = [join(folder, 'none.md'), fileWith(content, 'a.md'), join(folder, 'none', 'AGENTS.md')];
    expect(await measure(files, { format: 'json' })).toBe(4);
    const lines = printed.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        file: files[0],
        error: { code: 'file_unreadable', message: `${files[0]} cannot be read: there is no such file` },
      },
      { file: files[1], outcome: 'pass' },
      { file: files[2], error: { code: 'file_unreadable' } },
    ]);
    expect(messages).toBe(
      `${files[0]} cannot be read: there is no such file\n${files[2]} cannot be read: there is no such file\n`,
    );
  });
});

describe('a folder', () => {
  const linesOf = () =>
    printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { file: string; outcome: string; nearMisses: string[] });

  test('is measured with every AGENTS.md in it, without .git, node_modules and symlinked folders', async () => {
    isRepository();
    fileWith(content, 'outside/AGENTS.md');
    for (const name of ['inner/AGENTS.md', 'inner/b/AGENTS.md', 'inner/.github/AGENTS.md']) fileWith(content, name);
    fileWith('x', 'inner/b/c/AGENTS.md');
    for (const name of ['.git/AGENTS.md', 'a/node_modules/AGENTS.md']) fileWith('x', join('inner', name));
    symlinkSync('../outside', join(folder, 'inner', 'linked'));
    expect(await measure(join(folder, 'inner'), { format: 'json' })).toBe(1);
    expect(linesOf().map(({ file, outcome }) => [relative(folder, file), outcome])).toEqual([
      ['inner/AGENTS.md', 'pass'],
      ['inner/.github/AGENTS.md', 'pass'],
      ['inner/b/AGENTS.md', 'pass'],
      ['inner/b/c/AGENTS.md', 'partial'],
    ]);
  });

  test('without its own fails and names what is similar, the nearest first', async () => {
    for (const name of ['agents.md', 'CLAUDE.md', '.github/Agents.md', 'README.md']) fileWith(content, name);
    fileWith(content, 'docs/AGENTS.md');
    expect(await measure(folder, { format: 'json' })).toBe(2);
    expect(linesOf()).toMatchObject([
      {
        ...{ file: join(folder, 'AGENTS.md'), outcome: 'fail', reasonCode: 'file_not_found' },
        nearMisses: ['CLAUDE.md', 'agents.md', '.github/Agents.md', 'docs/AGENTS.md'],
      },
      { file: join(folder, 'docs/AGENTS.md'), outcome: 'pass' },
    ]);
    await measure(folder);
    expect(printed).toContain('fail: ');
    expect(printed).toContain('it has CLAUDE.md, agents.md, .github/Agents.md, docs/AGENTS.md');
    expect(printed).toContain('sendoff agents-md template');
  });
});

describe('SARIF', () => {
  const schema = Compile(
    JSON.parse(readFileSync(new URL('sarif-spec/sarif-schema-2.1.0.json', import.meta.url), 'utf8')) as object,
  );
  const sarif = async (paths: string | readonly string[], stdin?: string) => {
    const code = await measure(paths, { format: 'sarif', ...(stdin === undefined ? {} : { stdin }) });
    const log = JSON.parse(printed) as Sarif;
    expect(schema.Errors(log)[1]).toEqual([]);
    return { code, ...log.runs[0]! };
  };

  test('has a result for each file that does not pass, with its rule and its place in the repository', async () => {
    isRepository();
    fileWith('x', 'a b/AGENTS.md');
    fileWith('', 'c/AGENTS.md');
    fileWith(content, 'd/AGENTS.md');
    fileWith(' '.repeat(256 * 1_024 + 1), 'e/AGENTS.md');
    const { code, tool, results, invocations } = await sarif(folder);
    expect([code, invocations[0]?.executionSuccessful]).toEqual([3, true]);
    expect(
      results.map(({ ruleId, level, locations: [location] }) => [
        ...[ruleId, level, location?.physicalLocation.artifactLocation.uri],
      ]),
    ).toEqual([
      ['file_not_found', 'error', 'AGENTS.md'],
      ['stub', 'warning', 'a%20b/AGENTS.md'],
      ['empty_file', 'warning', 'c/AGENTS.md'],
      ['unexpected_content', 'note', 'e/AGENTS.md'],
    ]);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]).toMatchObject({ id: ruleId });
    expect(tool.driver.rules[0]?.help.text).toContain('Add AGENTS.md to the root');
    expect(results[1]?.message.text).toBe(
      'a b/AGENTS.md has 1 visible character (200 needed). Add content to the file. Describe the project, its commands and its rules: how to build, test and change it. HTML comments, and white space at both ends, do not count.',
    );
  });

  test('has no result for what passes, and a notification for what cannot be measured', async () => {
    const none = join(folder, 'none.md');
    const { code, results, invocations } = await sarif([fileWith(content), none]);
    expect([code, results]).toEqual([4, []]);
    expect(invocations).toMatchObject([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [{ message: { text: `${none} cannot be read: there is no such file` } }],
      },
    ]);
  });

  test('places what stdin contains at the root', async () => {
    const { results } = await sarif('-', 'x');
    expect(results[0]?.locations[0]?.physicalLocation.artifactLocation.uri).toBe('AGENTS.md');
  });

  test('is refused by the schema if a level is none', () => {
    const driver = { name: 'x' };
    const result = { message: { text: 'x' }, level: 'bad' };
    expect(schema.Check({ version: '2.1.0', runs: [{ tool: { driver }, results: [result] }] })).toBe(false);
  });
});

test('the template is a stub, and passes once it is filled in', async () => {
  expect(await measureJson(fileWith(TEMPLATE))).toMatchObject({ code: 1, reasonCode: 'stub' });
  const filled = TEMPLATE.replaceAll(/<!-- (.*?) -->/gs, 'The tests need a database: npm run database && npm test.');
  expect(await measureJson(fileWith(filled))).toMatchObject({ code: 0, measurement: { headings: 4 } });
});

describe('stdin', () => {
  test('is measured for -, among files', async () => {
    expect(await measure(['-', fileWith('x')], { stdin: content })).toBe(1);
    expect(printed).toContain('pass: stdin has');
  });

  test('is measured up to 256 KiB, and may be empty', async () => {
    expect(await measure('-', { stdin: Buffer.alloc(300 * 1_024, 'x') })).toBe(0);
    expect(printed).toContain('only its beginning');
    expect(await measure('-')).toBe(1);
    expect(printed).toContain('stdin has 0 visible characters');
  });

  test('is refused if given twice', async () => {
    await expect(measure(['-', '-'])).rejects.toThrow('- (stdin) is given more than once');
  });

  test('contains no symlink that can be followed', async () => {
    expect(await measureJson('-', 'CLAUDE.md')).toMatchObject({
      code: 1,
      measurement: { contentClass: 'broken_link' },
    });
  });
});

/** As raw hosts serve it and as Git writes it without `core.symlinks`; as a file system has it. */
describe.each([
  ['a file that holds only a path', fileWith],
  ['a symlink', linkTo],
])('%s in a repository', (_, linkWith) => {
  test.each([
    ['CLAUDE.md', 'AGENTS.md', 'CLAUDE.md'],
    ['.rules', 'AGENTS.md', '.rules'],
    ['.cursor/rules/main.mdc', 'AGENTS.md', '.cursor/rules/main.mdc'],
    ['../README.md', 'docs/AGENTS.md', 'README.md'],
    ['guide', 'docs/AGENTS.md', 'docs/guide'],
  ])('is followed to %s from %s', async (target, file, viaSymlink) => {
    isRepository();
    fileWith(content, viaSymlink);
    expect(await measureJson(linkWith(target, file))).toMatchObject({ code: 0, viaSymlink, detail: null });
  });

  test.each([
    ['../outside.md', 'its target is outside the repository'],
    ['/etc/passwd.md', 'its target is outside the repository'],
    ['AGENTS.md', 'it points to itself'],
    ['missing.md', 'missing.md does not exist'],
    ['folder.md', 'folder.md does not exist'],
    ['chain.md', 'chain.md is also a symlink, and the check follows only one'],
  ])('is a broken link if it points to %s', async (target, detail) => {
    isRepository('inner');
    fileWith(content, 'outside.md');
    fileWith(content, 'inner/folder.md/README.md');
    fileWith(content, 'inner/end.md');
    linkWith('end.md', 'inner/chain.md');
    const file = linkWith(target, 'inner/AGENTS.md');
    expect(await measureJson(file)).toMatchObject({
      code: 1,
      outcome: 'partial',
      viaSymlink: null,
      detail,
      measurement: { contentClass: 'broken_link' },
    });
    expect(await measure(file)).toBe(1);
    expect(printed).toMatch(new RegExp(`read as broken link: ${detail.replace('.', '\\.')}\n$`));
  });

  test('is a stub if its target does not exist', async () => {
    isRepository();
    expect(await measureJson(linkWith('TODO'))).toMatchObject({
      code: 1,
      detail: null,
      measurement: { contentClass: 'stub' },
    });
  });

  test('is not followed through a folder outside the repository', async () => {
    isRepository('inner');
    fileWith(content, 'elsewhere/CLAUDE.md');
    symlinkSync('../elsewhere', join(folder, 'inner', 'folder'));
    const found = await measureJson(linkWith('folder/CLAUDE.md', 'inner/AGENTS.md'));
    expect(found).toMatchObject({ code: 1, detail: 'its target is outside the repository' });
  });
});

describe('outside of a repository', () => {
  test("follows a path within the file's folder only", async () => {
    fileWith(content, 'CLAUDE.md');
    fileWith(content, 'docs/CLAUDE.md');
    expect(await measureJson(fileWith('CLAUDE.md', 'docs/AGENTS.md'))).toMatchObject({ viaSymlink: 'CLAUDE.md' });
    const escaping = await measureJson(fileWith('../CLAUDE.md', 'docs/AGENTS.md'));
    expect(escaping).toMatchObject({ code: 1, detail: 'its target is outside the repository' });
  });

  test('lets the file system resolve symlinks', async () => {
    fileWith(content, 'elsewhere/file.md');
    expect(await measure(linkTo(join(folder, 'elsewhere', 'file.md'), 'docs/AGENTS.md'))).toBe(0);
  });
});

test('measures a relative path like an absolute one', async () => {
  isRepository();
  fileWith(content, 'CLAUDE.md');
  expect(await measure(relative(process.cwd(), fileWith('CLAUDE.md')))).toBe(0);
});
