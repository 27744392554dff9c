import type { Kysely, Migration } from 'kysely';

/** Which process makes an attempt or starts a Workflow, and until when no other one may: several share a database. */
export const leases: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    await schema.alterTable('delivery_attempts').addColumn('lease_holder', 'text').execute();
    await schema.alterTable('delivery_attempts').addColumn('lease_until', 'integer').execute();
    await schema.alterTable('outbox').addColumn('claimed_until', 'integer').execute();
  },
};
