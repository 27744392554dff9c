import type { SecretStore } from './secret-store.ts';

/** A secret that the provider shows once, with the id of its resource. */
export interface IssuedSecret {
  readonly id: string;
  readonly secret: string;
  /** Scopes of an API key that cannot do everything. */
  readonly scopes?: readonly string[];
  /** Whether an API key may belong to another account, because it was created later and the provider has not yet answered with the domain. */
  readonly isUnproven?: boolean;
}

export const putIssued = (store: Pick<SecretStore, 'put'>, ref: string, issued: IssuedSecret): Promise<void> =>
  store.put(ref, JSON.stringify(issued));

export async function getIssued(store: Pick<SecretStore, 'get'>, ref: string): Promise<IssuedSecret | undefined> {
  const value = await store.get(ref);
  return value === undefined ? undefined : parse(value);
}

/** Deletes the secret of this resource; that of another one, which has replaced it, stays. */
export const deleteIssued = (store: Pick<SecretStore, 'deleteIf'>, ref: string, id: string | null): Promise<void> =>
  store.deleteIf(ref, (value) => parse(value).id === id);

const parse = (value: string): IssuedSecret => JSON.parse(value) as IssuedSecret;
