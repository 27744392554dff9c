import type { Kysely, Migration } from 'kysely';

/** Without these indexes, every page of a list would read the rows of all accounts. */
export const lists: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    for (const table of ['api_keys', 'domains', 'senders', 'webhooks'])
      await schema.createIndex(`${table}_list`).on(table).columns(['account_id', 'id']).execute();
    await schema.createIndex('emails_list').on('emails').columns(['account_id', 'id']).execute();
    await schema.createIndex('emails_list_by_status').on('emails').columns(['account_id', 'status', 'id']).execute();
    await schema.dropIndex('webhooks_account').execute();
  },
};
