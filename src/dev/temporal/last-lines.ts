import { createInterface } from 'node:readline';
import type { TiedProcess } from './spawn-tied.ts';
import { waitUntil } from '../../lib/timing/wait-until.ts';

/** A child process that is still running may hold the output open. */
const DRAINED_WITHIN_MS = 1_000;

export interface LastLines {
  /** The last lines of both outputs; call it after the program has ended. */
  read(): Promise<readonly string[]>;
}

/** Passes each line that a program prints to `onLine`, and keeps the last `max` lines for an error message. */
export function keepLastLines(child: TiedProcess, max: number, onLine?: (line: string) => void): LastLines {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > max) lines.shift();
      onLine?.(line);
    });
  }
  return {
    read: async () => {
      // The exit event may come before the last lines have been read from the pipes.
      await waitUntil(() => child.stdout.closed && child.stderr.closed, {
        timeoutMs: DRAINED_WITHIN_MS,
        intervalMs: 10,
      });
      return [...lines];
    },
  };
}
