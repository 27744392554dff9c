import type { SecretStore } from './secret-store.ts';

/** A one-time secret of the provider, with the id of what it belongs to. */
export interface IssuedSecret {
  readonly id: string;
  readonly secret: string;
}

export const putIssued = (store: Pick<SecretStore, 'put'>, ref: string, issued: IssuedSecret): Promise<void> =>
  store.put(ref, JSON.stringify(issued));

/** Undefined when the reference holds none. */
export async function getIssued(store: Pick<SecretStore, 'get'>, ref: string): Promise<IssuedSecret | undefined> {
  const value = await store.get(ref);
  return value === undefined ? undefined : (JSON.parse(value) as IssuedSecret);
}
