import { readdirSync, readFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { onboardingExitCodes } from '../src/cli/exit-codes.ts';
import { commandLineSettings } from '../src/cli/programs/command-line-settings.ts';
import { settingsTable } from '../src/config.ts';
import { emailServiceSettings } from '../src/email-service/config.ts';
import { exitOf, type FailureType } from '../src/onboarding/failures.ts';
import { Stage } from '../src/onboarding/stage.ts';
import type { SettingsTable } from '../src/lib/settings.ts';
import { searchAttributeKeys } from '../src/workflows/search-attributes.ts';

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name: string): string => readFileSync(path(name), 'utf8');
const readme = read('README.md');

/** A setting's row of the configuration table: name, default, meaning. */
const rows = (table: SettingsTable): string[] =>
  Object.entries(table).map(([name, { fallback, optional, meaning }]) => {
    const byDefault = fallback === undefined ? (optional ? '' : 'required') : `\`${fallback}\``;
    return `| \`${name}\` | ${byDefault} | ${meaning} |`;
  });

describe('README.md', () => {
  test('it names the page of all settings, and those that have no default', () => {
    expect(readme).toContain('(docs/configuration.md)');
    for (const table of [settingsTable, emailServiceSettings] as SettingsTable[]) {
      for (const [name, { fallback, optional }] of Object.entries(table)) {
        if (fallback === undefined && !optional) expect(readme).toContain(`\`${name}\``);
      }
    }
  });

  test('its table of stages names every stage, and its table of failures every failure with its exit and exit code', () => {
    for (const stage of Object.values(Stage)) expect(readme).toContain(`| \`${stage}\` |`);
    for (const [type, exit] of Object.entries(exitOf)) {
      const code = onboardingExitCodes[type as FailureType];
      expect(readme).toContain(`| \`${type}\` | ${exit ?? ''} | ${code} |`);
    }
  });

  test('its table of folders names every folder of src, and nothing else', () => {
    const named = [...readme.matchAll(/^\| `src\/([^`]*)`/gm)].map(([, name]) => name);
    const folders = readdirSync(path('src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  test('has under 200 lines', () => {
    expect(readme.split('\n').length).toBeLessThan(200);
  });
});

test('README.md names every Search Attribute; the compose file names none and runs the setup instead', () => {
  for (const { name } of searchAttributeKeys) expect(readme).toContain(`\`${name}\``);
  const compose = read('docker-compose.yml');
  for (const { name } of searchAttributeKeys) expect(compose).not.toContain(name);
  expect(compose).toContain('node bin/sendoff.js setup');
});

test('the tables of docs/configuration.md are those of the code, row by row', () => {
  const configuration = read('docs/configuration.md');
  for (const table of [settingsTable, emailServiceSettings, commandLineSettings])
    expect(configuration).toContain(rows(table).join('\n'));
});

test('docs/configuration.md names every variable of the environment that the sources read', () => {
  const configuration = read('docs/configuration.md');
  const sources = readdirSync(path('src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const variables = sources.flatMap((name) =>
    [...read(`src/${name}`).matchAll(/(?:environment|env)(?:\.|\[')([A-Z][A-Z_]+)/g)].map(
      ([, variable]) => variable ?? '',
    ),
  );
  const ofTheSystem = ['PATH'];
  expect(variables.filter((name) => !ofTheSystem.includes(name) && !configuration.includes(`\`${name}\``))).toEqual([]);
});

test('the package holds every file that its documents link to', async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], { cwd: path('.') });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const packed = files.map((file) => file.path);
  const documents = packed.filter((name) => name.endsWith('.md'));
  const missing = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:|mailto:|#)([^)#]+)/g)]
      .map(([, link]) => join(dirname(document), link ?? ''))
      .filter((target) => !packed.includes(target)),
  );
  expect(missing).toEqual([]);
  expect(packed).toContain('docs/configuration.md');
});

test('ARCHITECTURE.md has a sentence for every dependency', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const architecture = read('ARCHITECTURE.md');
  const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !architecture.includes(`\`${name}\``),
  );
  expect(missing).toEqual([]);
});

test('.env.example names only settings that there are', () => {
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
