/** Keeps what a provider shows only once. Histories hold references, never the values. */
export interface SecretStore {
  /** Replaces what the reference held. Durable once it resolves. */
  put(ref: string, value: string): Promise<void>;
  /** Undefined when there is none. */
  get(ref: string): Promise<string | undefined>;
  /** No error when there is none. */
  delete(ref: string): Promise<void>;
}
