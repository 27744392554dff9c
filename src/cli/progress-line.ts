/** Outside a terminal every update is a line of a log. */
const LINE_INTERVAL_MS = 15_000;

export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ProgressLine {
  readonly isTerminal: boolean;
  /** @param isDue whether it is written at once, also outside a terminal */
  show(text: string, isDue?: boolean): void;
  /** Removes the line, so that another can be written in its place. */
  readonly clear: () => void;
}

/** The work under way: one line in a terminal, a line every 15 seconds elsewhere. */
export function createProgressLine(stream: ProgressStream, now: () => number = Date.now): ProgressLine {
  const isTerminal = stream.isTTY === true;
  let lineAt = now();
  return {
    isTerminal,
    show(text, isDue = false) {
      if (isTerminal) {
        stream.write(`\r\x1b[2K${text.slice(0, (stream.columns ?? 80) - 1)}`);
      } else if (isDue || now() - lineAt >= LINE_INTERVAL_MS) {
        lineAt = now();
        stream.write(`${text}\n`);
      }
    },
    clear() {
      if (isTerminal) stream.write('\r\x1b[2K');
    },
  };
}
