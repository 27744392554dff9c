// Leaf library: what a program has opened is closed newest first, when it stops and when its start fails.

export interface Closers {
  /** `close` runs before those that were added earlier. */
  add(close: () => unknown): void;
  /**
   * Resolves when everything is closed; a second call waits for the first one. A close that fails does not keep the others
   * open: its error is thrown once they are closed.
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

/** Runs `open`; if it throws, closes what it had opened, then throws the same error. */
export async function openTogether<Opened>(open: (closers: Closers) => Promise<Opened>): Promise<Opened> {
  const closers = createClosers();
  try {
    return await open(closers);
  } catch (error) {
    await closers.close().catch((closeError: unknown) => {
      // The caller needs the reason of the failed start; this one must not be lost either.
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
