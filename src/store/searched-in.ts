import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../lib/sql/transactions.ts';

/** What a searched text may be the beginning of, in lower case: the SQL that the indexes have. */
export const searchedIn = (
  database: QueryExecutorProvider,
): Readonly<Record<'tenant' | 'domain' | 'parentDomain', RawBuilder<string>>> => ({
  tenant: sql<string>`(lower(tenant_id))`,
  domain: sql<string>`domain`,
  parentDomain: isPostgres(database)
    ? sql<string>`(substr(domain, strpos(domain, '.') + 1))`
    : sql<string>`(substr(domain, instr(domain, '.') + 1))`,
});
