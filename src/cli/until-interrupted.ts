/** As a shell reports an end by a signal: 128 and its number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Resolves with the exit code at the first SIGINT or SIGTERM; a second one ends the process at once, as usual. */
export const untilInterrupted = (): Promise<number> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        resolve(exitCodes[signal]);
      });
    }
  });
