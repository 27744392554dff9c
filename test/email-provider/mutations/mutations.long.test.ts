// The tests with the vendors' SDKs find each change of a field, in what the adapters send as well as in what their simulations answer.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutations, nameOf } from './mutations.ts';
import type { MutationReport } from './mutations.config.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Of both parts together. */
const EACH_AT_LEAST = 20;

test('each of at least 20 changes for each provider fails', { timeout: 1_200_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-mutations-'));
  try {
    const file = join(folder, 'report.json');
    const command = [join(root, 'node_modules/vitest/vitest.mjs'), 'run'];
    const options = ['--config', 'test/email-provider/mutations/mutations.config.ts', '--root', root];
    // It fails, as it must.
    await new Promise((resolve) => {
      const env = { ...process.env, MUTATION_REPORT: file };
      execFile(process.execPath, [...command, ...options], { cwd: root, env }, resolve);
    });
    const report = JSON.parse(readFileSync(file, 'utf8')) as MutationReport;
    const broken = Object.entries(report).filter(([, { errors }]) => errors.length > 0);
    expect(broken).toEqual([]);
    for (const provider of ['resend', 'postmark', 'ses'] as const) {
      expect(report[provider], `${provider} unchanged`).toEqual({ failed: 0, errors: [] });
      for (const part of ['request', 'answer'] as const)
        expect(mutations.filter((one) => one.provider === provider && one.part === part).length).toBeGreaterThan(
          EACH_AT_LEAST / 2 - 1,
        );
    }
    const survivors = mutations.map(nameOf).filter((name) => (report[name]?.failed ?? 0) === 0);
    expect(survivors).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
