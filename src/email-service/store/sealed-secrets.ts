import type { Store } from './open-store.ts';

const PAGE_ROWS = 500;

/** Every sealed secret with the context it was sealed in, a page at a time; of the one-time ones, the newest page. */
export async function* sealedSecrets(store: Store): AsyncGenerator<{ sealed: string; context: string }> {
  for (let last: string | undefined = ''; last !== undefined;) {
    const domains: { id: string; sealed: string }[] = await store
      .selectFrom('domains')
      .select(['id', 'sealed_dkim_private_key as sealed'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute();
    for (const { id, sealed } of domains) yield { sealed, context: `domain/${id}/dkim` };
    last = domains.at(-1)?.id;
  }
  for (let last: string | undefined = ''; last !== undefined;) {
    const webhooks: { id: string; sealed: string }[] = await store
      .selectFrom('webhooks')
      .select(['id', 'sealed_signing_secret as sealed'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute();
    for (const { id, sealed } of webhooks) yield { sealed, context: `webhook/${id}/signing-secret` };
    last = webhooks.at(-1)?.id;
  }
  const oneTime = await store
    .selectFrom('idempotency_keys')
    .select(['owner', 'key', 'sealed_secret'])
    .where('sealed_secret', 'is not', null)
    .orderBy('secret_expires_at', 'desc')
    .limit(PAGE_ROWS)
    .execute();
  for (const { owner, key, sealed_secret: sealed } of oneTime)
    if (sealed !== null) yield { sealed, context: `idempotency/${owner}/${key}` };
}
