/** Transactions that are committed together. */
export class CommitGroup {
  /** Once set, the next transaction waits for the commit. */
  isClosed = false;
  end!: (error?: unknown) => void;
  /** Rejects if the transactions were rolled back. */
  readonly committed = new Promise<void>((resolve, reject) => {
    this.end = (error) => {
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error('the commit failed', { cause: error }));
    };
  });
  readonly ended = this.committed.catch(() => undefined);
}
