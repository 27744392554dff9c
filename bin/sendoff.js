#!/usr/bin/env node
// In a clone the sources run as they are, so that nothing built earlier can be run by mistake; the package holds only dist.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../src/cli/main.ts', import.meta.url);
if (existsSync(source)) {
  const { register } = await import('tsx/esm/api');
  // Without it, the loader reads the tsconfig.json of the working directory.
  register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
  await import(source.href);
} else {
  await import('../dist/cli/main.js');
}
