// Closes what a program has opened, newest first, when it stops or when its start fails.

export interface Closers {
  /** `close` runs before the closers that were added earlier. */
  add(close: () => unknown): void;
  /**
   * Resolves when everything is closed; a second call waits for the first. If a closer fails, the others still run; then its
   * error is thrown.
   */
  readonly close: () => Promise<void>;
}

export function createClosers(): Closers {
  const stack: (() => unknown)[] = [];
  let closing: Promise<void> | undefined;
  return {
    add: (close) => void stack.push(close),
    close: () => (closing ??= closeAll(stack)),
  };
}

/** Runs `open`; if it throws, closes what it opened and throws the same error. */
export async function openTogether<Opened>(open: (closers: Closers) => Promise<Opened>): Promise<Opened> {
  const closers = createClosers();
  try {
    return await open(closers);
  } catch (error) {
    await closers.close().catch((closeError: unknown) => {
      // The caller gets the reason of the failed start; this error becomes a warning.
      process.emitWarning(closeError instanceof Error ? closeError : String(closeError));
    });
    throw error;
  }
}

async function closeAll(stack: (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (let close = stack.pop(); close !== undefined; close = stack.pop()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join('; '));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
