import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

export interface ScriptProcess {
  readonly child: ChildProcess;
  /** Lines of the standard output so far. */
  readonly lines: readonly string[];
  /** The next line that begins like this. Throws when the process ends before it. */
  line(start: string): Promise<string>;
  ended(): Promise<unknown>;
}

/**
 * Runs a module, given as text whose imports are of `packagedModule`, in a Node process of its own. The process is killed when the
 * test ends.
 */
export function runScript(source: string): ScriptProcess {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => lines.push(line));
  const line = async (start: string): Promise<string> => {
    for (;;) {
      const found = lines.find((candidate) => candidate.startsWith(start));
      if (found !== undefined) return found;
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`The process ended without a line "${start}…". It printed: ${lines.join('\n')}`);
      }
      await Promise.race([once(output, 'line'), once(output, 'close').then(() => ended)]);
    }
  };
  return { child, lines, line, ended: () => ended };
}
