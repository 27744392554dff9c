import type { Kysely, Migration } from 'kysely';
import type { Onboarding } from '../onboarding/onboarding.ts';

interface Onboardings {
  onboardings: {
    tenant_id: string;
    started_at: string;
    outcome: string;
    onboarding: string;
    failure: string | null;
    domain: string;
    stage: string;
    stage_since: string;
    exit: string | null;
    ended_at: string | null;
    state: string;
  };
}

/** What the list of onboardings filters by, and the events. Existing onboardings get their columns, and no events. */
export const extendRegister: Migration = {
  async up(database: Kysely<unknown>) {
    const texts = ['domain', 'stage', 'stage_since', 'state', 'updated_at'];
    for (const name of texts) {
      await database.schema
        .alterTable('onboardings')
        .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
        .execute();
    }
    for (const name of ['exit', 'ended_at', 'checked_at']) {
      await database.schema.alterTable('onboardings').addColumn(name, 'text').execute();
    }
    await database.schema
      .alterTable('onboardings')
      .addColumn('needs_attention', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await fill(database);
    for (const columns of [
      // Of the sweep.
      ['outcome', 'tenant_id'],
      ['outcome', 'started_at', 'tenant_id'],
      ['started_at', 'tenant_id'],
      // The filters that find few of many.
      ['needs_attention', 'started_at', 'tenant_id'],
      ['stage', 'started_at', 'tenant_id'],
      ['exit', 'started_at', 'tenant_id'],
    ]) {
      await database.schema
        .createIndex(`onboardings_by_${columns.join('_')}`)
        .on('onboardings')
        .columns(columns)
        .execute();
    }
    await database.schema
      .createTable('onboarding_findings')
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('code', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('onboarding_findings_key', ['code', 'tenant_id'])
      .execute();
    await database.schema
      .createIndex('onboarding_findings_by_tenant')
      .on('onboarding_findings')
      .column('tenant_id')
      .execute();
    await database.schema
      .createTable('onboarding_events')
      // Never reuses an id: a listener resumes after the last one that it saw.
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('event_id', 'text', (column) => column.notNull().unique())
      .addColumn('tenant_id', 'text', (column) => column.notNull())
      .addColumn('attempt_id', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addColumn('delivery', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('last_attempt_at', 'text')
      .addColumn('last_error', 'text')
      .addColumn('delivered_at', 'text')
      .addColumn('replayed_at', 'text')
      .execute();
    for (const columns of [
      ['tenant_id', 'id'],
      ['delivery', 'tenant_id', 'replayed_at', 'id'],
      ['delivery', 'id'],
      ['type', 'id'],
      ['tenant_id', 'delivery', 'id'],
      ['tenant_id', 'type', 'id'],
    ]) {
      await database.schema
        .createIndex(`onboarding_events_by_${columns.join('_')}`)
        .on('onboarding_events')
        .columns(columns)
        .execute();
    }
  },
};

async function fill(database: Kysely<Onboardings>): Promise<void> {
  for (let last: string | undefined = ''; last !== undefined;) {
    const rows: {
      tenant_id: string;
      started_at: string;
      outcome: string;
      onboarding: string;
      failure: string | null;
    }[] = await database
      .selectFrom('onboardings')
      .select(['tenant_id', 'started_at', 'outcome', 'onboarding', 'failure'])
      .where('tenant_id', '>', last)
      .orderBy('tenant_id')
      .limit(500)
      .execute();
    for (const { tenant_id, started_at, outcome, onboarding, failure } of rows) {
      const { domain, stage, stages } = JSON.parse(onboarding) as Onboarding;
      const since = stages.at(-1)?.at ?? started_at;
      const exit = failure === null ? null : (JSON.parse(failure) as { details: { exit: string | null } }).details.exit;
      const state = {
        stagesEntered: 0,
        verifiedAt: null,
        waiting: null,
        attention: null,
        reported: { causes: '', deadline: null },
      };
      await database
        .updateTable('onboardings')
        .set({ domain, stage, stage_since: since, exit, state: JSON.stringify(state) })
        .set({ ended_at: outcome === 'running' ? null : since })
        .where('tenant_id', '=', tenant_id)
        .execute();
    }
    last = rows.at(-1)?.tenant_id;
  }
}
