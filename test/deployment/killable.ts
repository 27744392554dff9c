/** A process of the deployment that is ended on purpose and started again on the same port and data. */
export interface Killable {
  /** SIGKILL. Waits for it to be there first when it is just coming up again; resolves when it is dead. */
  kill(): Promise<void>;
  /** How it ended without being asked to, oldest first: a supervisor starts it again then. */
  readonly ownEnds: readonly OwnEnd[];
  /** Ends it for good. Does nothing the second time. */
  stop(): Promise<void>;
}

/** A process that is also replaced as a new release replaces it. */
export interface Restartable extends Killable {
  /** Of the process that runs now; 0 if none does. */
  pid(): number;
  /**
   * SIGTERM. Resolves when it has ended; any exit code but 0 counts as an end of its own.
   * @param changes of its environment, for all its next lives
   */
  restart(changes?: Readonly<Record<string, string>>): Promise<void>;
}

export interface OwnEnd {
  /** RFC 3339. */
  readonly at: string;
  /** Its exit code or signal, and its last lines. */
  readonly words: string;
}
