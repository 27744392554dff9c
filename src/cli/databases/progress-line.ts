/** Outside a terminal every update is a line of a log. */
const LINE_INTERVAL_MS = 15_000;

export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ProgressLine {
  show(text: string): void;
  /** Removes the line. */
  clear(): void;
}

/** The work under way: one line in a terminal, a line every 15 seconds elsewhere. */
export function createProgressLine(stream: ProgressStream, now: () => number = Date.now): ProgressLine {
  const isTerminal = stream.isTTY === true;
  let lineAt = now();
  return {
    show(text) {
      if (isTerminal) {
        stream.write(`\r\x1b[2K${text.slice(0, (stream.columns ?? 80) - 1)}`);
      } else if (now() - lineAt >= LINE_INTERVAL_MS) {
        lineAt = now();
        stream.write(`${text}\n`);
      }
    },
    clear() {
      if (isTerminal) stream.write('\r\x1b[2K');
    },
  };
}
