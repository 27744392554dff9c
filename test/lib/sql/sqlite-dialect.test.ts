import { DatabaseSync } from '@photostructure/sqlite';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, type Migration, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { proveWritable } from '../../../src/lib/sql/prove-writable.ts';
import { openSqlDatabase } from '../../../src/lib/sql/sql-database.ts';
import type { SqliteOptions } from '../../../src/lib/sql/sqlite-file.ts';
import { packagedModule } from '../../support/packaged-command.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Schema {
  entries: { id: string; size: number | null };
}
const migrations: Record<string, Migration> = {
  '0001': {
    async up(database: Kysely<unknown>) {
      await sql`create table entries (id text primary key, size integer check (size > 0))`.execute(database);
    },
  },
};

let folder: string;
let path: string;
let opened: Kysely<Schema>[];

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'x.db');
  opened = [];
});
afterEach(async () => {
  for (const database of opened) await database.destroy();
});

async function open(options?: SqliteOptions): Promise<Kysely<Schema>> {
  const database = await openSqlDatabase<Schema>(`file:${path}`, migrations, options);
  opened.push(database);
  return database;
}

const add = (database: Kysely<Schema>, id: string) =>
  database.insertInto('entries').values({ id, size: null }).execute();

const addInTransaction = (database: Kysely<Schema>, id: string) =>
  database.transaction().execute((transaction) => add(transaction, id));

const read = async (database: Kysely<Schema>) =>
  (await database.selectFrom('entries').select('id').orderBy('id').execute()).map(({ id }) => id);

/** What a second program finds in the file. */
function readElsewhere(): unknown[] {
  const other = new DatabaseSync(path);
  try {
    return other
      .prepare('select id from entries order by id')
      .all()
      .map((row: { id?: unknown }) => row.id);
  } finally {
    other.close();
  }
}

const busy = expect.objectContaining({ code: 'SQLITE_BUSY' }) as unknown;

/** Every way in which a query can meet the lock of another program. */
const writes: Record<string, (database: Kysely<Schema>) => Promise<unknown>> = {
  'a single write': (database) => add(database, 'refused'),
  'the beginning of a transaction': (database) => addInTransaction(database, 'refused'),
  'a write with returning': (database) =>
    database.insertInto('entries').values({ id: 'refused', size: null }).returning('id').executeTakeFirst(),
  'a change of the schema': (database) => sql`create table more (id text)`.execute(database),
  'a proof that it can be written': proveWritable,
};

describe('while another program holds the write lock for longer than the time-out', () => {
  test.each(Object.entries(writes))('%s is refused, and later writes are committed', async (_title, write) => {
    const database = await open({ busyTimeoutMs: 40 });
    const unlock = holdWriteLock(path);
    await expect(write(database)).rejects.toEqual(busy);
    unlock();
    await add(database, 'a');
    await addInTransaction(database, 'b');
    expect(readElsewhere()).toEqual(['a', 'b']);
    // The file is not left locked.
    holdWriteLock(path)();
  });

  test('reads go on', async () => {
    const database = await open({ busyTimeoutMs: 0 });
    await add(database, 'a');
    const unlock = holdWriteLock(path);
    expect(await read(database)).toEqual(['a']);
    unlock();
  });

  test('writers that waited for it are refused together, each after its own time-out', async () => {
    const database = await open({ busyTimeoutMs: 200 });
    const unlock = holdWriteLock(path);
    const startedAt = performance.now();
    const ends = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => addInTransaction(database, String(n))));
    // One after the other they would take 50 times as long.
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']));
    unlock();
  });

  test('the event loop goes on', async () => {
    const database = await open({ busyTimeoutMs: 10_000 });
    const unlock = holdWriteLock(path);
    const written = add(database, 'a');
    for (let turn = 0; turn < 6; turn++) await pause(5);
    // Were the event loop blocked, the write would have been refused before the first turn.
    unlock();
    await written;
  });
});

test('a writer that is given the lock in time succeeds', async () => {
  const database = await open();
  const unlock = holdWriteLock(path);
  const writes = Promise.all([add(database, 'a'), addInTransaction(database, 'b')]);
  setTimeout(unlock, 50);
  await writes;
  expect(readElsewhere()).toEqual(['a', 'b']);
});

test('a program that starts while another one holds the lock waits for it', async () => {
  await (await open()).destroy();
  const unlock = holdWriteLock(path);
  setTimeout(unlock, 50);
  await proveWritable(await open());
});

test('acknowledged writes survive SIGKILL of a process that was refused before', async () => {
  await open();
  const program = `
    import { openSqlDatabase } from ${JSON.stringify(await packagedModule('lib/sql/sql-database.js'))};
    const migrations = { '0001': { up: async () => undefined } };
    const database = await openSqlDatabase(${JSON.stringify(`file:${path}`)}, migrations, { busyTimeoutMs: 40 });
    const add = (id) => database.insertInto('entries').values({ id, size: null }).execute();
    const end = async (ids) => {
      for (const id of ids) await add(id);
      return 'acknowledged';
    };
    process.stdin.on('data', async (ids) => {
      console.log(await end(String(ids).trim().split(' ')).catch(({ code }) => code));
    });
    console.log('ready');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const answer = async (): Promise<string> => {
    const [line] = (await Promise.race([once(child.stdout, 'data'), exited])) as unknown[];
    return String(line).trim();
  };
  try {
    expect(await answer()).toBe('ready');
    const unlock = holdWriteLock(path);
    child.stdin.write('refused');
    expect(await answer()).toBe('SQLITE_BUSY');
    unlock();
    child.stdin.write('a b c');
    expect(await answer()).toBe('acknowledged');
    expect(readElsewhere()).toEqual(['a', 'b', 'c']);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
  expect(readElsewhere()).toEqual(['a', 'b', 'c']);
});

describe('writes of one turn of the event loop', () => {
  const ids = Array.from({ length: 50 }, (_, n) => String(n).padStart(2, '0'));
  const PAGE_BYTES = 4_096;
  const logBytes = () => statSync(`${path}-wal`).size;

  test('are committed together, in transactions and alone', async () => {
    const database = await open();
    const before = logBytes();
    await Promise.all(ids.map((id, n) => (n % 2 === 0 ? add(database, id) : addInTransaction(database, id))));
    expect(readElsewhere()).toEqual(ids);
    // Each commit writes at least one page to the log.
    expect(logBytes() - before).toBeLessThan((ids.length / 5) * PAGE_BYTES);
  });

  test('are each undone alone when they fail', async () => {
    const database = await open();
    const failing = (id: string) =>
      database.transaction().execute(async (transaction) => {
        await add(transaction, id);
        throw new Error(id);
      });
    const ends = await Promise.allSettled(
      ids.map((id, n) => (n % 3 === 0 ? failing(id) : addInTransaction(database, id))),
    );
    expect(ends.map(({ status }) => status)).toEqual(ids.map((_, n) => (n % 3 === 0 ? 'rejected' : 'fulfilled')));
    expect(readElsewhere()).toEqual(ids.filter((_, n) => n % 3 !== 0));
  });

  test('all fail when SQLite rolls back all of them, and later ones are committed', async () => {
    const database = await open();
    const ends = await Promise.allSettled([
      add(database, 'a'),
      addInTransaction(database, 'b'),
      database.transaction().execute((transaction) =>
        // As SQLite does by itself when the disk is full or fails.
        sql`insert or rollback into entries values ('a', null)`.execute(transaction),
      ),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await add(database, 'c');
    expect(readElsewhere()).toEqual(['c']);
  });

  test('are refused only on rows that are on the disk', async () => {
    const database = await open();
    await sql`create table children (id text references entries (id) deferrable initially deferred)`.execute(database);
    const ends = await Promise.allSettled([
      database.transaction().execute(async (transaction) => {
        await add(transaction, 'a');
        // Makes the common commit fail.
        await sql`insert into children values ('none')`.execute(transaction);
      }),
      database.transaction().execute(async (transaction) => {
        throw new Error(`exists: ${(await read(transaction)).join()}`);
      }),
    ]);
    const notCommitted = { status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT' } };
    expect(ends).toMatchObject([notCommitted, notCommitted]);
    expect(readElsewhere()).toEqual([]);
  });

  test('all fail when one cannot be undone, and later ones are committed', async () => {
    const database = await open();
    const ends = await Promise.allSettled([
      add(database, 'a'),
      database.transaction().execute(async (transaction) => {
        await add(transaction, 'b');
        // Its rollback finds no savepoint.
        await sql`release member`.execute(transaction);
        throw new Error('refused');
      }),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await addInTransaction(database, 'c');
    expect(readElsewhere()).toEqual(['c']);
  });

  test('are read once they are committed', async () => {
    const database = await open();
    const written = add(database, 'a');
    expect(await read(database)).toEqual(readElsewhere());
    await written;
    expect(await read(database)).toEqual(['a']);
  });

  test('are committed before the database is closed', async () => {
    const database = await open();
    const written = addInTransaction(database, 'a');
    // The transaction has ended and is not committed.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await database.destroy();
    const [{ status }] = await Promise.allSettled([written]);
    expect(readElsewhere()).toEqual(status === 'fulfilled' ? ['a'] : []);
  });

  test('are undone at the close of the database while their transaction is open, without those before it', async () => {
    const database = await open();
    const written = addInTransaction(database, 'a');
    const unfinished = database.transaction().execute(async (transaction) => {
      await add(transaction, 'b');
      await database.destroy();
      await add(transaction, 'c');
    });
    await expect(unfinished).rejects.toThrow();
    await written;
    expect(readElsewhere()).toEqual(['a']);
  });
});

describe('an error within a transaction', () => {
  test('undoes all of it, and the next one is committed', async () => {
    const database = await open();
    await expect(
      database.transaction().execute(async (transaction) => {
        await add(transaction, 'a');
        await add(transaction, 'a');
      }),
    ).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' });
    await addInTransaction(database, 'b');
    expect(readElsewhere()).toEqual(['b']);
  });

  test('that makes SQLite roll back leaves nothing of what follows in the same transaction', async () => {
    const database = await open();
    await expect(
      database.transaction().execute(async (transaction) => {
        await add(transaction, 'a');
        // As SQLite does by itself when the disk is full or fails.
        await sql`insert or rollback into entries values ('a', null)`.execute(transaction).catch(() => undefined);
        await add(transaction, 'b');
      }),
    ).rejects.toMatchObject({ code: 'SQLITE_ABORT_ROLLBACK' });
    await addInTransaction(database, 'c');
    expect(readElsewhere()).toEqual(['c']);
  });

  test('of a full file is told as such, and what fits again is committed', async () => {
    const database = await open();
    const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(database);
    await sql`PRAGMA max_page_count = ${sql.lit(rows[0]?.page_count)}`.execute(database);
    const addLong = () => addInTransaction(database, 'x'.repeat(100_000));
    await expect(addLong()).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    await expect(
      database
        .insertInto('entries')
        .values({ id: 'y'.repeat(100_000), size: null })
        .returning('id')
        .execute(),
    ).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    await add(database, 'a');
    expect(readElsewhere()).toEqual(['a']);
    await sql`PRAGMA max_page_count = 1000000`.execute(database);
    await addLong();
    expect(readElsewhere()).toHaveLength(2);
  });

  test('of the commit is an error of the transaction', async () => {
    const database = await open();
    await sql`create table children (id text references entries (id) deferrable initially deferred)`.execute(database);
    await expect(
      database.transaction().execute((transaction) => sql`insert into children values ('none')`.execute(transaction)),
    ).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' });
    await addInTransaction(database, 'a');
    expect(readElsewhere()).toEqual(['a']);
  });
});

test('transactions and single queries of one process keep out of each other', async () => {
  const database = await open();
  const seen: string[][] = [];
  await Promise.all([
    database.transaction().execute(async (transaction) => {
      await add(transaction, 'a');
      await new Promise((resolve) => setTimeout(resolve, 20));
      await add(transaction, 'b');
    }),
    read(database).then((ids) => seen.push(ids)),
    addInTransaction(database, 'c'),
    read(database).then((ids) => seen.push(ids)),
  ]);
  for (const ids of seen) expect(ids.includes('a')).toBe(ids.includes('b'));
  expect(readElsewhere()).toEqual(['a', 'b', 'c']);
});

test.each([
  [
    'replaced',
    () => {
      writeFileSync(path, '');
    },
  ],
  ['deleted', () => undefined],
])('nothing is acknowledged once the file was %s', async (_title, act) => {
  const database = await open();
  renameSync(path, `${path}.old`);
  act();
  for (const write of Object.values(writes))
    await expect(write(database)).rejects.toMatchObject({ code: 'SQLITE_READONLY_DBMOVED' });
  renameSync(`${path}.old`, path);
  await add(database, 'a');
  expect(readElsewhere()).toEqual(['a']);
});

test('after the close, a copy of the file alone has everything', async () => {
  const database = await open();
  await add(database, 'a');
  await database.destroy();
  copyFileSync(path, join(folder, 'copy.db'));
  path = join(folder, 'copy.db');
  expect(readElsewhere()).toEqual(['a']);
});

test('a proof that it can be written commits', async () => {
  const database = await open();
  await sql`PRAGMA query_only = ON`.execute(database);
  await expect(proveWritable(database)).rejects.toMatchObject({ code: 'SQLITE_READONLY' });
});

test('a text with a NUL equals no other one', async () => {
  const database = await open();
  await add(database, 'a');
  expect(await database.selectFrom('entries').selectAll().where('id', '=', 'a\0b').execute()).toEqual([]);
});

test('nothing is in an empty list', async () => {
  const database = await open();
  await add(database, 'a');
  const entries = database.selectFrom('entries').select('id');
  expect(await entries.where('id', 'in', []).execute()).toEqual([]);
  expect(await entries.where('id', 'not in', []).execute()).toEqual([{ id: 'a' }]);
});
