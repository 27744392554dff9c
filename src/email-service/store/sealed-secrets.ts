import { type SealedColumn, sealedValues } from '../../lib/sql/sealed-columns.ts';
import type { SealedValue } from '../../lib/sealing.ts';
import type { Store } from './open-store.ts';

/** The context that each kind of secret is sealed in and opens in. */
export const sealingContext = {
  dkimKey: (domainId: string): string => `domain/${domainId}/dkim`,
  signingSecret: (webhookId: string): string => `webhook/${webhookId}/signing-secret`,
  erasureKey: (accountId: string): string => `account/${accountId}/erasure-key`,
  oneTimeSecret: ({ owner, key }: { readonly owner: string; readonly key: string }): string =>
    `idempotency/${owner}/${key}`,
};

const ofRow = (table: string, column: string, holds: string, context: (id: string) => string): SealedColumn => ({
  ...{ table, column, key: ['id'], holds },
  contextOf: (id = '') => context(id),
});

export const sealedColumns: readonly SealedColumn[] = [
  ofRow('domains', 'sealed_dkim_private_key', 'DKIM keys', sealingContext.dkimKey),
  ofRow('domains', 'sealed_next_dkim_private_key', 'DKIM keys of rotations', sealingContext.dkimKey),
  ofRow('webhooks', 'sealed_signing_secret', 'signing secrets of webhooks', sealingContext.signingSecret),
  {
    table: 'idempotency_keys',
    column: 'sealed_secret',
    key: ['owner', 'key'],
    holds: 'one-time secrets',
    contextOf: (owner = '', key = '') => sealingContext.oneTimeSecret({ owner, key }),
  },
  ofRow('accounts', 'sealed_erasure_key', 'keys of erasures', sealingContext.erasureKey),
];

export const sealedSecrets = (store: Store): AsyncIterable<SealedValue> => sealedValues(store, sealedColumns);
