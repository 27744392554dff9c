import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { Suite, SuiteRun } from '../suite.ts';

const folderOf = (form: string): string =>
  fileURLToPath(new URL(`../../../deploy/kubernetes/${form}`, import.meta.url));

/** Of other programs, whose schemas Kubernetes does not have. */
const FOREIGN = ['temporal.io/v1alpha1', 'monitoring.coreos.com/v1'];

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Each form of deploy/kubernetes, rendered by kubectl, and each of its resources. */
export const kubernetes: Suite = {
  name: 'kubernetes',
  title: 'the forms of deploy/kubernetes, rendered by kubectl and judged by kubernetes-validate',
  debian: { 'kubernetes-client': ['kubectl'] },
  python: true,
  async *run(suite) {
    const { tools, folder, wants } = suite;
    for (const form of ['plain', 'versioned', 'observe']) {
      const rendered = await call(suite, tools.command('kubectl'), 'kustomize', folderOf(form));
      const resources = parseAllDocuments(rendered.stdout).map((document) => document.toJS() as Resource);
      const whole = `${form}: is rendered`;
      if (wants(whole)) {
        const theirs = rendered.succeeded && resources.length > 10 ? 'yes' : 'no';
        yield { case: whole, judge: 'kubectl', theirs, ours: 'yes', detail: rendered.stderr };
      }
      for (const resource of resources.filter(({ apiVersion }) => !FOREIGN.includes(apiVersion))) {
        const name = `${form}: ${resource.kind} ${resource.metadata.name}`;
        if (!wants(name)) continue;
        const file = join(folder, 'resource.json');
        await writeFile(file, JSON.stringify(resource));
        const judged = await call(suite, tools.python ?? 'python3', '-m', 'kubernetes_validate', '--strict', file);
        const theirs = judged.succeeded ? 'valid' : 'invalid';
        yield { case: name, judge: 'kubernetes-validate', theirs, ours: 'valid', detail: judged.stderr };
      }
    }
  },
};

const call = (
  { tools, signal }: SuiteRun,
  program: string,
  ...args: string[]
): Promise<{ readonly succeeded: boolean; readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    execFile(program, args, { env: tools.environment, signal }, (error, stdout, stderr) => {
      resolve({ succeeded: error === null, stdout, stderr });
    });
  });
