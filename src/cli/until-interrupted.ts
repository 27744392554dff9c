/** 128 plus the number of the signal, as a shell reports it. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
const signals = ['SIGINT', 'SIGTERM'] as const;

/** Resolves with the exit code at the first SIGINT or SIGTERM. A second one of either ends the process at once. */
export const untilInterrupted = (): Promise<number> =>
  new Promise((resolve) => {
    const listeners = signals.map((signal) => {
      const listener = (): void => {
        for (const stop of listeners) stop();
        resolve(exitCodes[signal]);
      };
      process.on(signal, listener);
      return () => process.off(signal, listener);
    });
  });
