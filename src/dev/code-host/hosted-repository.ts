/** A repository of the local code host: public, and on its default branch. */
export interface HostedRepository {
  readonly organization: string;
  readonly name: string;
  readonly stars: number;
  /** By path from the root. */
  readonly files: Readonly<Record<string, string>>;
}
