import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string } | readonly string[];
  readonly optionalDependencies?: Record<string, string>;
}
const lockfile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Locked>;
};
const { allowScripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  allowScripts: Record<string, boolean>;
};

test('the lockfile holds the binaries of every platform, so that npm ci works on each', () => {
  const installed = Object.keys(lockfile.packages);
  const missing = Object.entries(lockfile.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !installed.some((candidate) => candidate.endsWith(`node_modules/${name}`)))
      .map((name) => `${path} wants ${name}`),
  );
  expect(missing).toEqual([]);
});

test('the lockfile names no registry', () => {
  expect(Object.values(lockfile.packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
});

test('no dependency runs a script when it is installed', () => {
  const withScripts = Object.entries(lockfile.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  );
  expect(withScripts.filter((name) => allowScripts[name] !== false)).toEqual([]);
});

test('every package allows Node 20, so that npm ci warns of none', () => {
  const allowsNode20 = (range: string): boolean =>
    range.split('||').some((alternative) => {
      const [, operator, major] = /^\s*(\^|~|>=?)?\s*v?(\d+)/.exec(alternative) ?? [];
      return major === undefined || (operator?.startsWith('>') === true ? Number(major) <= 20 : major === '20');
    });
  const refusing = Object.entries(lockfile.packages).flatMap(([path, { engines }]) =>
    engines === undefined || !('node' in engines) || allowsNode20(engines.node ?? '*') ? [] : [path],
  );
  expect(refusing).toEqual([]);
});
