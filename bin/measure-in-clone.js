#!/usr/bin/env node
// For action.yml and pre-commit, which clone this repository and install nothing: `sendoff agents-md measure` with the same arguments.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const clone = fileURLToPath(new URL('..', import.meta.url));
// npm writes this file last.
if (!existsSync(`${clone}/node_modules/.package-lock.json`)) {
  const isWindows = process.platform === 'win32';
  // The loader that runs the sources is a dependency for development. What npm prints must not be mixed with results.
  const options = { cwd: clone, stdio: ['ignore', 2, 2], shell: isWindows };
  const { status } = spawnSync('npm', ['ci', '--include=dev', '--prefer-offline', '--no-progress'], options);
  if (status !== 0) {
    console.error(`npm ci failed in ${clone}`);
    process.exit(4);
  }
}
process.argv.splice(2, 0, 'agents-md', 'measure');
await import('./sendoff.js');
