import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { commandLineSettings } from '../src/cli/command-line-settings.ts';
import { codecServerSettings } from '../src/cli/programs/codec-server.ts';
import { settingsTable } from '../src/config.ts';
import { emailServiceSettings } from '../src/email-service/config.ts';
import { failures, failureTypes } from '../src/onboarding/failures.ts';
import { Stage } from '../src/onboarding/stage.ts';
import type { SettingsTable } from '../src/lib/settings.ts';
import { searchAttributeKeys } from '../src/workflows/search-attributes.ts';

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name: string): string => readFileSync(path(name), 'utf8');
const readme = read('README.md');
const operating = read('docs/operating.md');

/** The rows of a table of settings: name, default, meaning. */
const rows = (table: SettingsTable): string[] =>
  Object.entries(table).map(([name, { fallback, optional, meaning }]) => {
    const byDefault = fallback === undefined ? (optional ? '' : 'required') : `\`${fallback}\``;
    return `| \`${name}\` | ${byDefault} | ${meaning} |`;
  });

const allSettings: readonly SettingsTable[] = [
  ...[settingsTable, emailServiceSettings, commandLineSettings, codecServerSettings],
];
const secrets = [
  ...new Set(
    allSettings.flatMap((table) => Object.entries(table).flatMap(([name, { secret }]) => (secret ? [name] : []))),
  ),
].sort();

describe('README.md', () => {
  test('links to the page of all settings, and docs/operating.md names those without a default', () => {
    expect(readme).toContain('(docs/settings.md)');
    for (const table of [settingsTable, emailServiceSettings] as SettingsTable[]) {
      for (const [name, { fallback, optional }] of Object.entries(table)) {
        if (fallback === undefined && !optional) expect(operating).toContain(`\`${name}\``);
      }
    }
  });

  test('lists every stage, and every failure with its exit and exit code', () => {
    for (const stage of Object.values(Stage)) expect(readme).toContain(`| \`${stage}\` |`);
    for (const [type, { exit, exitCode: code }] of Object.entries(failures)) {
      expect(readme).toContain(`| \`${type}\` | ${exit ?? ''} | ${code} |`);
    }
  });

  test('lists every folder of src, and nothing else', () => {
    const named = [...readme.matchAll(/^\| `src\/([^`]*)`/gm)].map(([, name]) => name);
    const folders = readdirSync(path('src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  test('has at most 110 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
  });
});

test('docs/operating.md names every Search Attribute and failure; the compose file runs the setup', () => {
  for (const failure of failureTypes) expect(operating).toContain(`| \`${failure}\``);
  for (const { name } of searchAttributeKeys) expect(operating).toContain(`\`${name}\``);
  const compose = read('docker-compose.yml');
  for (const { name } of searchAttributeKeys) expect(compose).not.toContain(name);
  expect(compose).toContain('node bin/sendoff.js setup');
});

test('the tables of docs/settings.md equal those of the code', () => {
  const settings = read('docs/settings.md');
  for (const table of allSettings) expect(settings).toContain(rows(table).join('\n'));
});

test('docs/settings.md names every secret that can be in a file', () => {
  const [, named = ''] = /This applies to ([^.]*)\./.exec(read('docs/settings.md')) ?? [];
  expect([...named.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name).sort()).toEqual(secrets);
});

test('docs/operating.md says of every secret how to rotate it and what its loss costs', () => {
  const [, table = ''] = /what its loss costs:\n\n(.*?)\n\n/s.exec(operating) ?? [];
  expect(secrets.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});

test('docs/operating.md lists every metric of the sources with its labels, and no other', () => {
  const sources = readdirSync(path('src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => read(join('src', name)));
  const defined = sources.flatMap((source) =>
    [...source.matchAll(/\b(counter|gauge|histogram)<[^()]*>\(\s*'(sendoff_\w+)'/g)].map(([, kind, name]) =>
      kind === 'counter' ? `${String(name)}_total` : String(name),
    ),
  );
  const listed = [...operating.matchAll(/^\| `(sendoff_\w+)` \|/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(defined.sort());
});

test('docs/settings.md names every variable of the environment that the sources read', () => {
  const settings = read('docs/settings.md');
  const sources = readdirSync(path('src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const variables = sources.flatMap((name) =>
    [...read(`src/${name}`).matchAll(/(?:environment|env)(?:\.|\[')([A-Z][A-Z_]+)/g)].map(
      ([, variable]) => variable ?? '',
    ),
  );
  const ofTheSystem = ['PATH'];
  expect(variables.filter((name) => !ofTheSystem.includes(name) && !settings.includes(`\`${name}\``))).toEqual([]);
});

describe('ARCHITECTURE.md', () => {
  const architecture = read('ARCHITECTURE.md');
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const packages = Object.keys({ ...dependencies, ...devDependencies });

  test('has a sentence for every dependency', () => {
    expect(packages.filter((name) => !architecture.includes(`\`${name}\``))).toEqual([]);
  });

  test('names only files and folders that exist, and every folder of src', () => {
    const missingIn = (bases: string[], names: string[]): string[] =>
      names.filter((name) => !bases.some((base) => existsSync(path(join(base, name)))));
    const [texts, drawings] = [0, 1].map((half) =>
      architecture
        .split('```')
        .filter((_, index) => index % 2 === half)
        .join('\n'),
    ) as [string, string];
    const spans = [...texts.matchAll(/`((?!sendoff\/)[\w.-]+(?:\/[\w.-]*)+|[\w-]+\.(?:ts|js|md))`/g)].map(
      ([, name = '']) => name,
    );
    const drawn = [...drawings.matchAll(/(?<![\w/.-])[\w-]+(?:\/[\w-]+)*(?:\/|\.ts|\.md)(?!\w)/g)].map(
      ([name]) => name,
    );
    const named = spans.filter((name) => !packages.includes(name));
    expect([named.length > 60, drawn.length > 40]).toEqual([true, true]);
    expect(missingIn(['', 'src'], named)).toEqual([]);
    expect(missingIn(['', 'src', 'src/cli', 'src/email-service', 'test'], drawn)).toEqual([]);
    const folders = readdirSync(path('src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => `${name}/`).filter((name) => !drawn.includes(name))).toEqual([]);
  });

  test('is a view from above: at most 160 lines and 25 words', () => {
    expect(architecture.trimEnd().split('\n').length).toBeLessThanOrEqual(160);
    const [, words = ''] = /\| word \| meaning \|\n\| --- \| --- \|\n((?:\|.*\n)*)/.exec(architecture) ?? [];
    expect(words.trimEnd().split('\n').length).toBeLessThanOrEqual(25);
    expect(words).toContain('| tenant |');
  });
});

test('.env.example names only existing settings, and all that have no default', () => {
  const named = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name ?? '');
  const known = [
    ...Object.keys(settingsTable),
    ...Object.keys(emailServiceSettings),
    'TEMPORAL_ADDRESS',
    'TEMPORAL_NAMESPACE',
  ];
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
  const required = [settingsTable, emailServiceSettings].flatMap((table: SettingsTable) =>
    Object.entries(table).flatMap(([name, { fallback, optional }]) =>
      fallback === undefined && !optional ? [name] : [],
    ),
  );
  expect(required.filter((name) => !named.includes(name))).toEqual([]);
});

/** Words that docs and code once used for a notification, a fix, a previous run and the like. */
const RETIRED =
  /\b(?:pokes?|poked|poking|hint|thrice|forerunner|plain-markdown|asked-to-wait|surroundings?|mends?|mended|mending|whoever|somebody|gone on with)\b/gi;

test('documents and sources use the standard terms', () => {
  const sources = readdirSync(path('src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const documents = [...readdirSync(path('.')), ...readdirSync(path('docs')).map((name) => `docs/${name}`)].filter(
    (name) => name.endsWith('.md'),
  );
  const found = [...sources.map((name) => `src/${name}`), ...documents].flatMap((name) =>
    [...read(name).matchAll(RETIRED)].map(([word]) => `${name}: ${word}`),
  );
  expect(found).toEqual([]);
});
