import type { Kysely, Migration } from 'kysely';

/**
 * The list of onboardings reads the rows that it returns: what else it filters by is in the index, so that a search of a million rows
 * does not read them all.
 */
export const widenListIndexes: Migration = {
  async up({ schema }: Kysely<unknown>) {
    const order = ['started_at', 'tenant_id'];
    for (const [filter, also] of [
      [[], ['domain']],
      [['outcome'], ['stage_since', 'domain']],
      [['needs_attention'], ['domain']],
      [['stage'], ['domain']],
      [['exit'], ['domain']],
    ] as const) {
      await schema
        .createIndex(['onboardings_list', ...filter].join('_by_'))
        .on('onboardings')
        .columns([...filter, ...order, ...also])
        .execute();
      await schema.dropIndex(`onboardings_by_${[...filter, ...order].join('_')}`).execute();
    }
  },
};
