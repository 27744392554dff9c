import { sql } from 'kysely';
import type { Store } from '../../../src/email-service/store/open-store.ts';
import { databaseKind } from '../../support/test-database.ts';

/** From now on no event can be written, as if the disk was full. */
export const breakEvents = (store: Store): Promise<void> => refuse(store, 'insert on events');

export async function mendEvents(store: Store): Promise<void> {
  await sql`drop trigger full_disk ${sql.raw(databaseKind() === 'sqlite' ? '' : 'on events')}`.execute(store);
}

/** From now on no lease can be renewed. */
export const breakLeases = (store: Store): Promise<void> => refuse(store, 'update of lease_until on delivery_attempts');

async function refuse(store: Store, writes: string): Promise<void> {
  const trigger = sql.raw(`create trigger full_disk before ${writes}`);
  if (databaseKind() === 'sqlite') {
    await sql`${trigger} begin select raise(abort, 'disk is full'); end`.execute(store);
    return;
  }
  await sql`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'disk is full' using errcode = 'disk_full'; end $$`.execute(store);
  await sql`${trigger} execute function full_disk()`.execute(store);
}
