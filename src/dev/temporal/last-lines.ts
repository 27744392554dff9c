import { createInterface } from 'node:readline';
import type { TiedProcess } from './spawn-tied.ts';
import { waitUntil } from '../../lib/wait-until.ts';

/** Something the program has left running may hold its output open; its last lines are not worth waiting longer for. */
const DRAINED_WITHIN_MS = 1_000;

export interface LastLines {
  /** The last lines of both outputs, once the program has ended. */
  read(): Promise<readonly string[]>;
}

/** Reads what a program prints, gives each line to `onLine`, and keeps the last `max` for the error of a failure. */
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
      // A program's end is told before its last words have been read from the pipes.
      await waitUntil(() => child.stdout.closed && child.stderr.closed, {
        timeoutMs: DRAINED_WITHIN_MS,
        intervalMs: 10,
      });
      return lines;
    },
  };
}
