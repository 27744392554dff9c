import { type SealedColumn, sealedValues } from '../lib/sql/sealed-columns.ts';
import type { SealedValue } from '../lib/sealing.ts';
import type { Database } from './database.ts';

/** The context in which a claimed token is sealed. */
export const replayContext = (attemptId: string): string => `api-key-claim/${attemptId}`;

export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'secrets',
    column: 'sealed',
    key: ['ref'],
    holds: 'secrets of tenants',
    contextOf: (ref = '') => ref,
  },
  {
    table: 'api_key_claims',
    column: 'sealed_token',
    key: ['attempt_id'],
    holds: 'claimed API tokens',
    contextOf: (attemptId = '') => replayContext(attemptId),
  },
];

export const sealedSecrets = (database: Database): AsyncIterable<SealedValue> => sealedValues(database, sealedColumns);
