// Every command in a document is run against the real program as far as that is possible without its deployment: its
// subcommands and options against the program's own help, its files, scripts and request bodies against the repository.
import type { Command } from 'commander';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { program as commandLine } from '../src/cli/program.ts';
import { settingsTable } from '../src/config.ts';
import { emailServiceSettings } from '../src/email-service/config.ts';
import { validateOnboarding } from '../src/http/validate-onboarding.ts';
import type { OnboardTenantInput } from '../src/onboarding/input.ts';
import { openDatabase } from '../src/store/database.ts';
import { CompiledQuery } from 'kysely';
import { parse } from 'yaml';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const documents = [...readdirSync(root), ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
);

const PROGRAMS = ['npm', 'npx', 'sendoff', 'temporal', 'curl', 'docker', 'sqlite3'];
/** test/system/runbook.long.test.ts runs those of docs/operating.md. */
const FILE_PROGRAMS = ['cp', 'rm'];
const startsCommand = (text: string): boolean => PROGRAMS.includes(text.split(' ', 1)[0] ?? '') && text.includes(' ');

/**
 * The commands of one document: the lines of its fenced blocks, and what is written as code in its text.
 * test/system/dev.long.test.ts runs the whole script in `bash`.
 */
function commandsOf(document: string): string[] {
  const blocks = [...document.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, language, block = '']) => {
    if (language === 'bash') return [];
    const lines = joinQuoted(block.trim().split('\n')).map((line) => line.replace(/\s+#[^'"]*$/, ''));
    return language === 'sh' ? lines : lines.filter(startsCommand);
  });
  const inText = document.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g);
  return [...blocks, ...[...inText].map(([, code = '']) => code).filter(startsCommand)];
}

/** A quoted text may go over several lines. */
function joinQuoted(lines: readonly string[]): string[] {
  return lines.reduce<string[]>((joined, line) => {
    const last = joined.at(-1);
    if (last !== undefined && (last.split("'").length - 1) % 2 === 1)
      return [...joined.slice(0, -1), `${last}\n${line}`];
    return [...joined, line];
  }, []);
}

const wordsOf = (command: string): string[] =>
  [...command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/^['"]|['"]$/g, ''));

/** Prints the help of these subcommands. */
type Help = (words: readonly string[]) => string | Promise<string>;

/** What `sendoff … --help` prints, without its process; test/cli/help.test.ts starts some. */
const helpOfSendoff: Help = (words) => {
  const command = words.reduce<Command | undefined>(
    (above, word) => above?.commands.find((child) => child.name() === word),
    commandLine,
  );
  if (command === undefined) throw new Error(`no command ${words.join(' ')}`);
  return command.helpInformation();
};

const helps = new Map<string, Promise<string>>();
function helpOf(executable: string, words: readonly string[]): Promise<string> {
  const key = [executable, ...words].join(' ');
  const help =
    helps.get(key) ?? promisify(execFile)(executable, [...words, '--help'], { cwd: root }).then((run) => run.stdout);
  helps.set(key, help);
  return help;
}

/** Follows the subcommands as long as the help lists them, then expects every option in the help of the last one. */
async function checkOptions(helpFor: Help, words: readonly string[]): Promise<void> {
  const options = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=', 1)[0] ?? '');
  const path: string[] = [];
  let help = await helpFor([]);
  for (const word of words) {
    if (!/^[a-z][a-z-]*$/.test(word) || !new RegExp(`^ {2,}${word}(?: |\\||:|$)`, 'm').test(help)) break;
    path.push(word);
    help = await helpFor(path);
  }
  if (words.length > 0 && !(words[0] ?? '').startsWith('-'))
    expect(path, `subcommand of ${words.join(' ')}`).not.toEqual([]);
  for (const option of options) expect(help, words.join(' ')).toMatch(new RegExp(`(^|[\\s,])${option}\\b`, 'm'));
}

const pathsOf = (folder: string): [template: string, methods: object][] =>
  Object.entries((JSON.parse(read(`${folder}/openapi.json`)) as { paths: Record<string, object> }).paths);
/** By port. */
const paths = { '8080': pathsOf('src/http'), '8025': pathsOf('src/email-service/http') };
const { scripts, dependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;

async function checkScript(name: string, args: readonly string[]): Promise<void> {
  const script = scripts?.[name];
  expect(Object.keys(scripts ?? {})).toContain(name);
  const [program, ...words] = wordsOf(script ?? '');
  if (args.length === 0 || program !== 'node') return;
  const file = words.findIndex((word) => /\.[jt]s$/.test(word));
  if (words[file] === 'bin/sendoff.js') return checkSendoff([...words.slice(file + 1), ...args]);
  const options = args.filter((word) => word.startsWith('-'));
  const help = await helpOf(process.execPath, words);
  for (const option of options) expect(help, `npm run ${name}`).toContain(option);
}

const checkSendoff = (words: readonly string[]): Promise<void> =>
  checkOptions(helpOfSendoff, words.includes('…') ? words.slice(0, words.indexOf('…')) : words);

const settingNames = Object.keys({ ...settingsTable, ...emailServiceSettings });

async function checkCommand(command: string): Promise<void> {
  const all = wordsOf(command);
  const start = all.findIndex((word) => !/^[A-Z_]+=/.test(word));
  for (const word of all.slice(0, start)) expect(settingNames, command).toContain(word.split('=', 1)[0]);
  const [program = '', ...words] = all.slice(start);
  const [first = '', ...rest] = words;
  if (program === 'sendoff') return checkSendoff(words);
  // test/command-on-path.test.ts runs it.
  if (program === 'export') return;
  if (program === 'npx' && first.startsWith('--package=node@')) {
    expect(read('Dockerfile'), 'the Node of the image').toContain(`=node:${first.slice('--package=node@'.length)}-`);
    return checkCommand(rest.slice(1).join(' '));
  }
  if (program === 'npx' && ['vitest', 'eslint', 'knip'].includes(first)) {
    for (const path of rest.filter((word) => word.includes('/'))) expect(existsSync(join(root, path)), path).toBe(true);
    return;
  }
  if (program === 'npm' && ['ci', 'pack', 'test'].includes(first)) return;
  if (program === 'npm' && first === 'run') return checkScript(rest[0] ?? '', rest.slice(rest[1] === '--' ? 2 : 1));
  if (program === 'temporal') {
    const cli = inject('temporalServers')?.cli;
    if (cli === undefined || 'failure' in cli) throw new Error('no Temporal CLI to check a documented command with');
    return checkOptions((subcommands) => helpOf(cli.path, subcommands), words);
  }
  if (program === 'curl') {
    checkRequest(command);
    return;
  }
  if (program === 'docker' && command === 'docker compose up') {
    expect(existsSync(join(root, 'docker-compose.yml'))).toBe(true);
    return;
  }
  if (program === 'docker') return checkCompose(words);
  if (program === 'kubectl') {
    checkKubectl(words);
    return;
  }
  if (program.startsWith('./')) {
    expect(existsSync(join(root, 'deploy/compose', program))).toBe(true);
    return;
  }
  if (program === 'sqlite3') return checkSql(words);
  if (FILE_PROGRAMS.includes(program)) return;
  throw new Error(`no check for: ${command}`);
}

/** The tests have no cluster: each folder, secret and Job must exist. */
function checkKubectl(words: readonly string[]): void {
  const folder = words[words.indexOf('-k') + 1] ?? '';
  if (words.includes('-k')) expect(existsSync(join(root, folder, 'kustomization.yaml')), folder).toBe(true);
  for (const [, secret = ''] of words.flatMap((word) => [/^--from-file=(.*)/.exec(word) ?? []]))
    expect(read('deploy/compose/make-secrets.sh')).toContain(secret);
  const job = words.find((word, at) => word.startsWith('job/') || words[at - 1] === 'job')?.replace('job/', '');
  if (job !== undefined) expect(read('deploy/kubernetes/base/prepare.yaml')).toContain(`name: ${job}`);
}

/** No machine of the tests has Docker: the service must be in the file, and what it runs must be a command. */
async function checkCompose([, ...given]: readonly string[]): Promise<void> {
  const words = given[0] === '--profile' ? given.slice(2) : given;
  const [subcommand = '', ...parts] = words.filter((word) => !word.startsWith('--detach') && word !== '--wait');
  const { services } = parse(read('deploy/compose/compose.yaml'), { merge: true }) as {
    services: Record<string, { profiles?: readonly string[] }>;
  };
  if (words !== given) expect(Object.values(services).flatMap(({ profiles = [] }) => profiles)).toContain(given[1]);
  const [service = '', ...rest] = parts.filter((word) => word !== '--rm' && word !== '--build');
  if (service !== '') expect(Object.keys(services)).toContain(service);
  if (subcommand === 'run' && service === 'cli') await checkCommand(['sendoff', ...rest].join(' '));
  else if (subcommand === 'run' && service === 'temporal-cli') await checkCommand(['temporal', ...rest].join(' '));
  else expect(['up', 'ps', 'logs', 'exec']).toContain(subcommand);
}

/** test/http/documented-api.test.ts sends those of docs/http-api.md. */
function checkRequest(command: string): void {
  const [, method = 'GET'] = / -X (\w+) /.exec(command) ?? [];
  const [, port = '8080', path = ''] = / '?http:\/\/127\.0\.0\.1:(8080|8025)([^'? ]*)/.exec(command) ?? [];
  const operations = paths[port as keyof typeof paths].flatMap(([template, methods]) =>
    new RegExp(`^${template.replace(/\{[^}]*\}/g, '[^/]+')}$`).test(path) ? Object.keys(methods) : [],
  );
  expect(operations, `${method} ${path}`).toContain(method.toLowerCase());
  const [, body] = / -d '([\s\S]*)'$/.exec(command) ?? [];
  if (body === undefined || !/^\/onboardings\/[^/]+(\/restart)?$/.test(path)) return;
  const input = JSON.parse(body) as Omit<OnboardTenantInput, 'tenantId'>;
  expect(validateOnboarding({ tenantId: 'acme', ...input }, { allowReservedNames: true }).faults).toEqual([]);
}

async function checkSql([, statement = '']: readonly string[]): Promise<void> {
  const folder = temporaryFolder();
  const database = await openDatabase(`file:${join(folder, 'source.db')}`);
  try {
    const copy = join(folder, 'copy.db');
    await database.executeQuery(CompiledQuery.raw(statement.replace(/'[^']+'/, `'${copy}'`)));
    if (statement.startsWith('VACUUM')) expect(existsSync(copy)).toBe(true);
  } finally {
    await database.destroy();
  }
}

describe.each(documents)('%s', (name) => {
  const commands = [...new Set(commandsOf(read(name)))];

  test('gives commands that the programs accept', async () => {
    for (const command of commands) await checkCommand(command);
  });

  test('names files that exist', () => {
    const all = ['src', 'test', 'docs', 'bin', '.ci'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `/${folder}/${file}`),
    );
    const files = [...all, ...readdirSync(root).map((file) => `/${file}`)];
    const named = [...read(name).matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|js|md|json|yml))`/g)].map(
      ([, file = '']) => file,
    );
    const missing = named.filter(
      (file) =>
        !files.some((path) => path.endsWith(`/${file}`)) &&
        basename(file) !== 'AGENTS.md' &&
        dependencies?.[file] === undefined,
    );
    expect([...new Set(missing)]).toEqual([]);
  });
});
