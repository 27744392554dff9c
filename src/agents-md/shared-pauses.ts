/** A pause that all processes keep. */
export interface SharedPause {
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
  readonly because: string;
}

export interface SharedPauses {
  get(origin: string): Promise<SharedPause | undefined>;
  /** A later end that is stored already stays. */
  put(origin: string, pause: SharedPause): Promise<void>;
}
