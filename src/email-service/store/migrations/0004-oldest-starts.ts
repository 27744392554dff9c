import type { Kysely, Migration } from 'kysely';

/** Without this index, every page of 20 outbox rows would read and sort the whole table. */
export const oldestStarts: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema.createIndex('outbox_oldest').on('outbox').columns(['created_at', 'workflow_id']).execute();
  },
};
