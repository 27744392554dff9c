import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../lib/sql/transactions.ts';

/** The texts whose beginning a search matches, in lower case, as the SQL expressions of the indexes. */
export const searchedIn = (
  database: QueryExecutorProvider,
): Readonly<Record<'tenant' | 'domain' | 'parentDomain', RawBuilder<string>>> => ({
  tenant: sql<string>`(lower(tenant_id))`,
  domain: sql<string>`domain`,
  parentDomain: isPostgres(database)
    ? sql<string>`(substr(domain, strpos(domain, '.') + 1))`
    : sql<string>`(substr(domain, instr(domain, '.') + 1))`,
});
