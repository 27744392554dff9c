import type { Store } from './open-store.ts';

const PAGE_ROWS = 500;

/** The context that each kind of secret is sealed in and opens in. */
export const sealingContext = {
  dkimKey: (domainId: string): string => `domain/${domainId}/dkim`,
  signingSecret: (webhookId: string): string => `webhook/${webhookId}/signing-secret`,
  oneTimeSecret: ({ owner, key }: { readonly owner: string; readonly key: string }): string =>
    `idempotency/${owner}/${key}`,
};

interface SealedSecret {
  readonly sealed: string;
  readonly context: string;
}

/** Every sealed secret with its context, a page at a time; of the one-time secrets only the newest page. */
export async function* sealedSecrets(store: Store): AsyncGenerator<SealedSecret> {
  const domains = store.selectFrom('domains').select(['id', 'sealed_dkim_private_key as sealed']);
  yield* allPages(
    (afterId) => domains.where('id', '>', afterId).orderBy('id').limit(PAGE_ROWS).execute(),
    sealingContext.dkimKey,
  );
  const webhooks = store.selectFrom('webhooks').select(['id', 'sealed_signing_secret as sealed']);
  yield* allPages(
    (afterId) => webhooks.where('id', '>', afterId).orderBy('id').limit(PAGE_ROWS).execute(),
    sealingContext.signingSecret,
  );
  const oneTime = await store
    .selectFrom('idempotency_keys')
    .select(['owner', 'key', 'sealed_secret'])
    .where('sealed_secret', 'is not', null)
    .orderBy('secret_expires_at', 'desc')
    .limit(PAGE_ROWS)
    .execute();
  for (const row of oneTime)
    if (row.sealed_secret !== null) yield { sealed: row.sealed_secret, context: sealingContext.oneTimeSecret(row) };
}

async function* allPages(
  readAfter: (afterId: string) => Promise<readonly { readonly id: string; readonly sealed: string }[]>,
  contextOf: (id: string) => string,
): AsyncGenerator<SealedSecret> {
  for (let last: string | undefined = ''; last !== undefined;) {
    const rows = await readAfter(last);
    for (const { id, sealed } of rows) yield { sealed, context: contextOf(id) };
    last = rows.at(-1)?.id;
  }
}
