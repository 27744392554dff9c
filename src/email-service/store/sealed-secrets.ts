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

export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'domains',
    column: 'sealed_dkim_private_key',
    key: ['id'],
    holds: 'DKIM keys',
    contextOf: (id = '') => sealingContext.dkimKey(id),
  },
  {
    table: 'domains',
    column: 'sealed_next_dkim_private_key',
    key: ['id'],
    holds: 'DKIM keys of rotations',
    contextOf: (id = '') => sealingContext.dkimKey(id),
  },
  {
    table: 'webhooks',
    column: 'sealed_signing_secret',
    key: ['id'],
    holds: 'signing secrets of webhooks',
    contextOf: (id = '') => sealingContext.signingSecret(id),
  },
  {
    table: 'idempotency_keys',
    column: 'sealed_secret',
    key: ['owner', 'key'],
    holds: 'one-time secrets',
    contextOf: (owner = '', key = '') => sealingContext.oneTimeSecret({ owner, key }),
  },
  {
    table: 'accounts',
    column: 'sealed_erasure_key',
    key: ['id'],
    holds: 'keys of erasures',
    contextOf: (id = '') => sealingContext.erasureKey(id),
  },
];

export const sealedSecrets = (store: Store): AsyncIterable<SealedValue> => sealedValues(store, sealedColumns);
