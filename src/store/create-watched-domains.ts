import type { Kysely, Migration } from 'kysely';
import type { Onboarding } from '../onboarding/onboarding.ts';

interface Tables {
  onboardings: {
    tenant_id: string;
    attempt_id: string;
    started_at: string;
    outcome: string;
    onboarding: string;
    ended_at: string | null;
  };
  watched_domains: Record<
    | 'tenant_id'
    | 'attempt_id'
    | 'domain_id'
    | 'next_check_at'
    | 'state'
    | 'state_since'
    | 'suspicion'
    | 'findings'
    | 'muted',
    string
  >;
}

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
    await watchVerified(database);
  },
};

async function watchVerified(database: Kysely<Tables>): Promise<void> {
  const nextCheckAt = new Date().toISOString();
  for (let last: string | undefined = ''; last !== undefined;) {
    const rows: Tables['onboardings'][] = await database
      .selectFrom('onboardings')
      .select(['tenant_id', 'attempt_id', 'onboarding', 'ended_at', 'started_at', 'outcome'])
      .where('outcome', '=', 'onboarded')
      .where('tenant_id', '>', last)
      .orderBy('tenant_id')
      .limit(500)
      .execute();
    for (const { tenant_id, attempt_id, onboarding, ended_at, started_at } of rows) {
      const { domainId } = JSON.parse(onboarding) as Partial<Pick<Onboarding, 'domainId'>>;
      if (domainId == null) continue;
      await database
        .insertInto('watched_domains')
        .values({
          ...{ tenant_id, attempt_id, domain_id: domainId, next_check_at: nextCheckAt },
          ...{ state: 'ok', state_since: ended_at ?? started_at, suspicion: 'null', findings: '[]', muted: '[]' },
        })
        .execute();
    }
    last = rows.at(-1)?.tenant_id;
  }
}
