import { type Kysely, type Migration, sql } from 'kysely';

/** Domains that an earlier release verified are due at once: the sweep's rate limit and its first interval spread them. */
export const createWatchedDomains: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('watched_domains')
      .addColumn('tenant_id', 'text', (column) => column.primaryKey())
      .addColumn('attempt_id', 'text', (column) => column.notNull())
      .addColumn('domain_id', 'text', (column) => column.notNull())
      .addColumn('next_check_at', 'text')
      .addColumn('checked_at', 'text')
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('state_since', 'text', (column) => column.notNull())
      .addColumn('suspicion', 'text', (column) => column.notNull())
      .addColumn('findings', 'text', (column) => column.notNull())
      .addColumn('muted', 'text', (column) => column.notNull())
      .addColumn('problem', 'text')
      .execute();
    await database.schema
      .createIndex('watched_domains_by_next_check')
      .on('watched_domains')
      .columns(['next_check_at', 'tenant_id'])
      .execute();
    await sql`
      insert into watched_domains
        (tenant_id, attempt_id, domain_id, next_check_at, state, state_since, suspicion, findings, muted)
      select tenant_id, attempt_id, json_extract(onboarding, '$.domainId'), ${new Date().toISOString()}, 'ok',
        coalesce(ended_at, started_at), 'null', '[]', '[]'
      from onboardings where outcome = 'onboarded' and json_extract(onboarding, '$.domainId') is not null
    `.execute(database);
  },
};
