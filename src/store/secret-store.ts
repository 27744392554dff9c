/** Stores secrets that a provider shows only once. Histories contain only references to them. */
export interface SecretStore {
  /** Replaces an earlier value. Durable once it resolves. */
  put(ref: string, value: string): Promise<void>;
  get(ref: string): Promise<string | undefined>;
  /** Succeeds if there is none. */
  delete(ref: string): Promise<void>;
  /** Deletes the value if it matches; one that has replaced it meanwhile stays. */
  deleteIf(ref: string, matches: (value: string) => boolean): Promise<void>;
}
