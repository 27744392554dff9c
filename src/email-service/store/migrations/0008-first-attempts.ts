import type { Kysely, Migration } from 'kysely';

/** The first attempt is made before the Workflow starts, which must keep the pause after it. */
export const firstAttempts: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    await schema.alterTable('outbox').addColumn('not_before', 'integer').execute();
  },
};
