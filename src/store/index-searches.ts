import { type Kysely, type Migration, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../lib/sql/transactions.ts';

/**
 * A search and the filter by a finding read what they return, of a million onboardings as of a thousand. A process of the release
 * before adds findings without `started_at`.
 */
export const indexSearches: Migration = {
  async up(database: Kysely<unknown>) {
    const { tenant, domain, parentDomain } = searchedIn(database);
    await sql`create index onboardings_by_lower_tenant_id on onboardings (${tenant}, tenant_id)`.execute(database);
    await sql`create index onboardings_by_domain on onboardings (${domain}, tenant_id)`.execute(database);
    await sql`create index onboardings_by_parent_domain on onboardings (${parentDomain}, tenant_id)`.execute(database);
    await database.schema.alterTable('onboarding_findings').addColumn('started_at', 'text').execute();
    await sql`update onboarding_findings set started_at =
      (select started_at from onboardings where onboardings.tenant_id = onboarding_findings.tenant_id)`.execute(
      database,
    );
    await database.schema
      .createIndex('onboarding_findings_list')
      .on('onboarding_findings')
      .columns(['code', 'started_at', 'tenant_id'])
      .execute();
  },
};

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
