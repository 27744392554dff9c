import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('judges.py', import.meta.url));

export interface PythonJudges {
  /** Calls a function of `judges.py`. Rejects with Python's traceback when it raises. */
  ask<Answer>(name: string, argument: unknown): Promise<Answer>;
  close(): Promise<void>;
}

/** One Python process answers all questions of a suite, because starting one takes longer than most questions. */
export function startPythonJudges(python: string | undefined): PythonJudges {
  if (python === undefined) throw new Error('the suite must set python to true');
  const child = spawn(python, ['-u', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: { readonly resolve: (answer: unknown) => void; readonly reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { answer, error } = JSON.parse(line) as { answer?: unknown; error?: string };
    const question = waiting.shift();
    if (error === undefined) question?.resolve(answer);
    else question?.reject(new Error(error));
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      for (const { reject } of waiting.splice(0)) reject(new Error(`the Python judges ended with ${String(code)}`));
      resolve();
    });
  });
  return {
    ask: (name, argument) =>
      new Promise<never>((resolve, reject) => {
        waiting.push({ resolve: resolve as (answer: unknown) => void, reject });
        child.stdin.write(`${JSON.stringify({ name, argument })}\n`);
      }),
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}
