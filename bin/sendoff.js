#!/usr/bin/env node
// In a clone the sources run as they are, so that nothing built earlier can be run by mistake; the package holds only dist.
import { existsSync } from 'node:fs';

const source = new URL('../src/cli/main.ts', import.meta.url);
if (existsSync(source)) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(source.href);
} else {
  await import('../dist/cli/main.js');
}
