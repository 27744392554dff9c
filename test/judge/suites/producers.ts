import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeMeasurement } from '../../../src/agents-md/judge.ts';
import { measureFile } from '../../../src/agents-md/measure-file.ts';
import type { Suite } from '../suite.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const files = {
  'a stub': 'Run npm test.\n',
  'a pointer': 'See CLAUDE.md.\n',
  'real content': 'How to build, test and change this project. '.repeat(10),
};

/** What producers use from a clone: the action's file and the hook, which pre-commit runs in a repository as it would anywhere. */
export const producers: Suite = {
  name: 'producers',
  title: 'action.yml and .pre-commit-hooks.yaml, by check-jsonschema and by pre-commit itself, which runs the hook',
  debian: { git: ['git'] },
  python: true,
  async *run({ tools, folder, wants, signal }) {
    const run = (cwd: string, program: string, ...args: string[]): Promise<{ code: number; output: string }> =>
      new Promise((resolve) => {
        const env = { ...tools.environment, PRE_COMMIT_HOME: join(folder, 'pre-commit') };
        execFile(program, args, { cwd, env, signal }, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
        });
      });
    const python = (cwd: string, ...args: string[]) => run(cwd, tools.python ?? 'python3', '-m', ...args);
    const git = (cwd: string, ...args: string[]) => run(cwd, tools.command('git'), ...args);

    for (const [name, judge, ...args] of [
      ['action.yml', 'check-jsonschema', 'check_jsonschema', '--builtin-schema', 'vendor.github-actions'],
      ['.pre-commit-hooks.yaml', 'pre-commit', 'pre_commit', 'validate-manifest'],
    ] as const) {
      if (!wants(name)) continue;
      const { code, output } = await python(root, ...args, name);
      yield { case: name, judge, theirs: code === 0 ? 'valid' : 'invalid', ours: 'valid', detail: output };
    }

    const repository = join(folder, 'repository');
    const clone = join(folder, 'sendoff');
    for (const [name, text] of Object.entries(files)) {
      if (!wants(name)) continue;
      await mkdir(repository, { recursive: true });
      if ((await readFile(join(repository, '.pre-commit-config.yaml')).catch(() => undefined)) === undefined) {
        await git(folder, 'clone', '--quiet', root, clone);
        const rev = (await git(clone, 'rev-parse', 'HEAD')).output.trim();
        await git(repository, 'init', '--quiet');
        const config = { repos: [{ repo: clone, rev, hooks: [{ id: 'agents-md' }] }] };
        await writeFile(join(repository, '.pre-commit-config.yaml'), JSON.stringify(config));
      }
      await writeFile(join(repository, 'AGENTS.md'), text);
      await git(repository, 'add', '--all');
      const { code, output } = await python(repository, 'pre_commit', 'run', '--all-files');
      const { reasonCode } = judgeMeasurement(measureFile(Buffer.from(text), false).measurement);
      yield {
        case: name,
        judge: 'pre-commit',
        theirs:
          code === 0 && output.includes('Passed')
            ? 'passes'
            : output.includes('partial: AGENTS.md')
              ? 'fails'
              : 'did not run',
        ours: reasonCode === 'content_found' ? 'passes' : 'fails',
        detail: output,
      };
    }
  },
};
