// One project for each change: its server changes the file while it loads it, and nothing on the disk.
import { writeFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { TestModule } from 'vitest/node';
import { mutations, nameOf } from './mutations.ts';

/** By the name of a change: how many tests of the vendor's SDK failed, and what could not be loaded. */
export type MutationReport = Readonly<Record<string, { readonly failed: number; readonly errors: readonly string[] }>>;

const providers = [...new Set(mutations.map(({ provider }) => provider))];
const judgeOf = (provider: string): string => `test/email-provider/adapters/${provider}/sdk-judge.test.ts`;

function report(modules: readonly TestModule[]): void {
  const found: Record<string, MutationReport[string]> = {};
  for (const module of modules) {
    const failed = [...module.children.allTests('failed')].length;
    found[module.project.name] = { failed, errors: module.errors().map(({ message }) => message) };
  }
  writeFileSync(process.env['MUTATION_REPORT'] ?? 'mutations.json', JSON.stringify(found));
}

export default defineConfig({
  test: {
    pool: 'forks',
    reporters: [{ onTestRunEnd: report }],
    testTimeout: 60_000,
    projects: [
      ...providers.map((provider) => ({
        extends: true as const,
        test: { name: provider, include: [judgeOf(provider)] },
      })),
      ...mutations.map((mutation) => ({
        extends: true as const,
        plugins: [
          {
            name: 'mutate',
            enforce: 'pre' as const,
            transform(code: string, id: string) {
              const { file, from, to } = mutation;
              if (!id.endsWith(`/src/${file}`)) return undefined;
              if (!code.includes(from)) throw new Error(`${file} has no ${from}`);
              return code.replace(from, () => to);
            },
          },
        ],
        test: { name: nameOf(mutation), include: [judgeOf(mutation.provider)] },
      })),
    ],
  },
});
