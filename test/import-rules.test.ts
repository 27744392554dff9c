import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { devImporters, importRules } from '../import-rules.js';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  readonly file: string;
  /** A path from the root for files of the project, a package or builtin otherwise. */
  readonly target: string;
  readonly isRelative: boolean;
  readonly typeOnly: boolean;
}

function importsOf(file: string, text = readFileSync(join(root, file), 'utf8')): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isRelative = specifier.text.startsWith('.');
    const target = isRelative ? relative(root, join(root, dirname(file), specifier.text)) : specifier.text;
    found.push({ file, target, isRelative, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node)) add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return (
    clause.name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every((name) => name.isTypeOnly)
  );
}

const isIn = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
const packageOf = (target: string): string =>
  target.startsWith('@')
    ? target.split('/').slice(0, 2).join('/')
    : target.startsWith('node:')
      ? target
      : (target.split('/')[0] ?? '');

/** What is wrong with an import, by the rule of the innermost folder that has one. */
function breach({ file, target, isRelative, typeOnly }: Import): string | undefined {
  const rule = importRules.filter(({ from }) => isIn(file, from)).sort((a, b) => b.from.length - a.from.length)[0];
  if (isRelative && isIn(target, 'src/dev') && !devImporters.some((importer) => isIn(file, importer))) {
    return `${file} imports ${target}, and src/dev is for a laptop only`;
  }
  if (rule === undefined) return undefined;
  if (!isRelative) {
    const allowed = rule.packages === undefined || typeOnly || rule.packages.includes(packageOf(target));
    return allowed ? undefined : `${file} imports the package ${target}`;
  }
  const places = [rule.from, ...rule.may, ...(typeOnly ? (rule.types ?? []) : [])];
  return places.some((place) => isIn(target, place))
    ? undefined
    : `${file} imports ${target}${typeOnly ? ' (types)' : ''}`;
}

/** Only the demo world and tests load these. */
const demoPackages = ['mailauth', 'smtp-server'];

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

describe('who may import what', () => {
  test('every import of the tree keeps the rules', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap((file) => importsOf(file)).flatMap((found) => breach(found) ?? [])).toEqual([]);
  });

  test('every rule is about something that is there', () => {
    const missing = importRules.map(({ from }) => from).filter((from) => !files.some((file) => isIn(file, from)));
    expect(missing).toEqual([]);
  });

  test.each([
    ['src/workflows/x.ts', "import { createActivities } from '../activities/index.ts'"],
    ['src/workflows/x.ts', "import { z } from 'zod'"],
    ['src/workflows/x.ts', "import { readFile } from 'node:fs'"],
    ['src/onboarding/x.ts', "import { sleep } from '@temporalio/workflow'"],
    ['src/activities/x.ts', "import { onboardTenant } from '../workflows/onboard-tenant.ts'"],
    ['src/activities/x.ts', "await import('../config.ts')"],
    ['src/email-service/x.ts', "import type { Onboarding } from '../onboarding/onboarding.ts'"],
    ['src/email-service/workflows/x.ts', "import { createActivities } from '../activities/index.ts'"],
    ['src/http/x.ts', "import { buildEmailService } from '../email-service/app.ts'"],
    ['src/lib/dns/x.ts', "export { openSqlDatabase } from '../sql-database.ts'"],
    ['src/worker.ts', "import { startWorld } from './dev/world/start-world.ts'"],
  ])('a breach is noticed: %s with %s', (file, text) => {
    expect(importsOf(file, text).flatMap((found) => breach(found) ?? [])).toHaveLength(1);
  });

  test('the server, the worker and the email service load nothing of the demo world', () => {
    const entries = [
      'src/cli/programs/run-program.ts',
      'src/workflows/index.ts',
      'src/email-service/workflows/index.ts',
    ];
    const loaded = new Set(entries);
    for (const file of loaded) {
      if (!file.startsWith('src/')) continue;
      for (const { target, typeOnly } of importsOf(file)) if (!typeOnly) loaded.add(target);
    }
    for (const entry of ['src/server.ts', 'src/worker.ts', 'src/email-service/main.ts'])
      expect(loaded).toContain(entry);
    expect([...loaded].filter((target) => isIn(target, 'src/dev') || demoPackages.includes(target))).toEqual([]);
    expect(files.flatMap((file) => importsOf(file)).map(({ target }) => target)).toEqual(
      expect.arrayContaining(demoPackages),
    );
  });

  test('no file of the project forms a cycle of values with another folder', () => {
    const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/');
    const edges = new Set(
      files
        .flatMap((file) => importsOf(file))
        .filter(({ isRelative, typeOnly }) => isRelative && !typeOnly)
        .map(({ file, target }) => `${folderOf(file)} ${folderOf(target)}`),
    );
    const both = [...edges].filter((edge) => {
      const [from = '', to = ''] = edge.split(' ');
      return from < to && edges.has(`${to} ${from}`);
    });
    expect(both).toEqual([]);
  });

  test('the builtins are imported by their node: names', () => {
    const bare = files.flatMap((file) => importsOf(file)).filter(({ target }) => builtinModules.includes(target));
    expect(bare).toEqual([]);
  });
});
