import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
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

/** The breach of the rule of the innermost folder that has one. */
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
const demoPackages = ['mailauth'];

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|js)$/.test(name))
    .map((name) => join(folder, name));
const files = filesIn('src');
const imports = files.flatMap((file) => importsOf(file));

/** A folder of `src` or `src/lib`, or a file of `src` itself. */
const place = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('src/lib/') ? 3 : 2)
    .join('/');

function graphOf(edge: (found: Import) => [string, string], among = imports): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const found of among.filter(({ isRelative }) => isRelative)) {
    const [from, to] = edge(found);
    if (from !== to) graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  return graph;
}

/** The groups of nodes that all reach each other: Tarjan's strongly connected components of more than one node. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    lowest.set(node, index);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const reached = order.has(next) ? (stack.includes(next) ? order.get(next) : undefined) : visit(next);
      if (reached !== undefined) lowest.set(node, Math.min(lowest.get(node) ?? index, reached));
    }
    if (lowest.get(node) === index) {
      const component = stack.splice(stack.indexOf(node));
      if (component.length > 1) cycles.push(component.sort());
    }
    return lowest.get(node) ?? index;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles;
}

describe('who may import what', () => {
  test('every import follows the rules', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.flatMap((found) => breach(found) ?? [])).toEqual([]);
  });

  test('every rule names an existing folder or file', () => {
    const missing = importRules.map(({ from }) => from).filter((from) => !files.some((file) => isIn(file, from)));
    expect(missing).toEqual([]);
  });

  test.each([
    ['src/workflows/x.ts', "import { createActivities } from '../activities/index.ts'"],
    ['src/workflows/x.ts', "import { readFile } from 'node:fs'"],
    ['src/onboarding/x.ts', "import { sleep } from '@temporalio/workflow'"],
    ['src/activities/x.ts', "import { onboardTenant } from '../workflows/onboarding/onboard-tenant.ts'"],
    ['src/activities/x.ts', "await import('../config.ts')"],
    ['src/store/x.ts', "import { createOnboardings } from '../client/onboarding/onboardings.ts'"],
    ['src/client/x.ts', "import type { HttpDependencies } from '../http/app.ts'"],
    ['src/http/x.ts', "import { openStore } from '../email-service/store/open-store.ts'"],
    ['src/email-service/x.ts', "import type { Onboarding } from '../onboarding/onboarding.ts'"],
    ['src/email-service/workflows/x.ts', "import { createActivities } from '../activities/index.ts'"],
    ['src/lib/x.ts', "import { readConfig } from '../config.ts'"],
    ['src/lib/dns/x.ts', "export { openSqlDatabase } from '../sql/sql-database.ts'"],
    ['src/dev/x.ts', "import { createApiClient } from '../cli/api-client.ts'"],
    ['src/worker.ts', "import { startWorld } from './dev/world/start-world.ts'"],
  ])('refuses in %s: %s', (file, text) => {
    const [found] = importsOf(file, text);
    expect(found?.isRelative === true && !existsSync(join(root, found.target))).toBe(false);
    expect(found && breach(found)).toContain(
      `${file} imports ${found?.isRelative === true ? '' : 'the package '}${found?.target}`,
    );
  });

  test('the server, the worker and the email service load nothing of the demo world', () => {
    const entries = [
      'src/cli/programs/run-program.ts',
      'src/workflows/index.ts',
      'src/email-service/workflows/index.ts',
    ];
    const loaded = new Set(entries);
    for (const file of loaded) {
      for (const found of imports) if (found.file === file && !found.typeOnly) loaded.add(found.target);
    }
    for (const entry of ['src/server.ts', 'src/worker.ts', 'src/email-service/main.ts'])
      expect(loaded).toContain(entry);
    expect([...loaded].filter((target) => isIn(target, 'src/dev') || demoPackages.includes(target))).toEqual([]);
    expect(imports.map(({ target }) => target)).toEqual(expect.arrayContaining(demoPackages));
  });

  test('no folders import each other in a circle, by value or by type', () => {
    const graph = graphOf(({ file, target }) => [place(file), place(target)]);
    expect(cyclesOf(graph)).toEqual([]);
  });

  test('no files import each other in a circle, by value or by type', () => {
    expect(cyclesOf(graphOf(({ file, target }) => [file, target]))).toEqual([]);
  });

  test('no files of test/ and bench/ import each other in a circle by value', () => {
    const found = ['test', 'bench'].flatMap(filesIn).flatMap((file) => importsOf(file));
    expect(
      cyclesOf(
        graphOf(
          ({ file, target }) => [file, target],
          found.filter(({ typeOnly }) => !typeOnly),
        ),
      ),
    ).toEqual([]);
  });

  test('notices a circle of types', () => {
    expect(cyclesOf(new Map(Object.entries({ a: ['b'], b: ['c'], c: ['b'], d: ['a'] })))).toEqual([['b', 'c']]);
  });

  test('builtins are imported by their node: names', () => {
    const bare = imports.filter(({ target }) => builtinModules.includes(target));
    expect(bare).toEqual([]);
  });
});
