import { sql } from 'kysely';
import type { Store } from '../../../src/email-service/store/open-store.ts';
import { databaseKind } from '../../support/test-database.ts';

/** From now on no event can be written, as if the disk was full. */
export async function breakEvents(store: Store): Promise<void> {
  if (databaseKind() === 'sqlite') {
    await sql`create trigger full_disk before insert on events begin select raise(abort, 'disk is full'); end`.execute(
      store,
    );
    return;
  }
  await sql`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'disk is full' using errcode = 'disk_full'; end $$`.execute(store);
  await sql`create trigger full_disk before insert on events execute function full_disk()`.execute(store);
}

export async function mendEvents(store: Store): Promise<void> {
  await sql`drop trigger full_disk ${sql.raw(databaseKind() === 'sqlite' ? '' : 'on events')}`.execute(store);
}
