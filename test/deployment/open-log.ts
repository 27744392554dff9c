import { createWriteStream } from 'node:fs';

export interface Log {
  readonly write: (line: string) => void;
  stop(): Promise<void>;
}

/** Appends lines to a file; what comes after its end is dropped. */
export function openLog(file: string): Log {
  const stream = createWriteStream(file, { flags: 'a' });
  stream.on('error', () => undefined);
  return {
    write: (line) => {
      if (stream.writable) stream.write(`${line}\n`);
    },
    stop: () =>
      new Promise((resolve) => {
        stream.end(resolve);
      }),
  };
}
