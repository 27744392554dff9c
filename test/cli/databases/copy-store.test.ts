import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyStore, type CopyStoreOptions } from '../../../src/cli/databases/copy-store.ts';
import {
  databaseAt,
  type DatabaseProgram,
  programNames,
  withDatabase,
} from '../../../src/cli/databases/program-databases.ts';
import { copiedTables as tablesOfStore, openStore } from '../../../src/email-service/store/open-store.ts';
import { shownDatabaseUrl } from '../../../src/lib/database-url.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import { copiedTables, openDatabase } from '../../../src/store/database.ts';
import { releaseFiles } from '../../support/release-files.ts';
import { databaseKind, onSqlite, testDatabase } from '../../support/test-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const tablesOf = { orchestrator: copiedTables, 'email-service': tablesOfStore };
/** Each is in another place in the order of another collation. */
const ids = ['B', '_', 'a', 'é', '🎉 "two"\nlines', ...Array.from({ length: 120 }, (_, n) => `x${n}`)];

let folder: string;
let ends: (() => Promise<unknown>)[];
beforeEach(() => {
  folder = temporaryFolder();
  ends = [];
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

/** A migrated database without data. */
async function emptyDatabase(program: DatabaseProgram, kind: 'file' | 'project'): Promise<string> {
  if (kind === 'project') {
    const { url, end } = await testDatabase(program);
    ends.push(end);
    await databaseAt(program, url, {}).migrate();
    // The databases of a run are copies of one template.
    const id = randomBytes(6).toString('hex');
    await using(program, url, (database) => sql`update installation set id = ${id}`.execute(database));
    return url;
  }
  const url = `file:${join(folder, `${program}-${ends.push(async () => undefined)}.db`)}`;
  await databaseAt(program, url, {}).migrate();
  return url;
}

const using = <Result>(program: DatabaseProgram, url: string, use: (database: Kysely<unknown>) => Promise<Result>) =>
  withDatabase(databaseAt(program, url, {}), ({ database }) => use(database));

/** Rows in every table: each refers to the row with the same id. */
async function fill(program: DatabaseProgram, url: string): Promise<void> {
  await using(program, url, async (database) => {
    const tables = await database.introspection.getTables();
    await database.transaction().execute(async (transaction) => {
      for (const { name, key } of tablesOf[program]) {
        const { columns = [] } = tables.find((table) => table.name === name) ?? {};
        const rows = ids.map((id, n) => {
          const values = columns.map((column) => {
            // SQLite's introspection calls a primary key nullable.
            if (column.isNullable && !key.includes(column.name) && n % 2 === 1) return null;
            return /int/i.test(column.dataType) ? (n === 7 ? Number.MAX_SAFE_INTEGER - 9 : n + 1) : id;
          });
          return sql`(${sql.join(values)})`;
        });
        await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column.name)))})
          values ${sql.join(rows)}`.execute(transaction);
      }
    });
  });
}

const rowsOf = (program: DatabaseProgram, url: string): Promise<Record<string, unknown[]>> =>
  using(program, url, async (database) => {
    const all: Record<string, unknown[]> = {};
    for (const { name, key } of [...tablesOf[program], { name: 'installation', key: ['id'] }])
      all[name] = (
        await sql`select * from ${sql.table(name)} order by ${sql.join(key.map((column) => sql.ref(column)))}`.execute(
          database,
        )
      ).rows;
    return all;
  });

async function copy(
  from: string,
  to: string,
  options: Partial<CopyStoreOptions> = {},
  onProgress: (text: string) => void = () => undefined,
) {
  await releaseFiles();
  let text = '';
  const code = await copyStore(
    { from, to, ...options },
    {
      environment: {},
      write: (part) => void (text += part),
      progress: { isTTY: true, columns: 200, write: onProgress },
    },
  );
  return { code, text };
}

const directions: ['file' | 'project', 'file' | 'project'][] =
  databaseKind() === 'sqlite'
    ? [['file', 'file']]
    : [
        ['file', 'project'],
        ['project', 'file'],
        ['project', 'project'],
      ];

describe.each(programNames)('the %s', (program) => {
  test('has no table that is not copied, but that of its installation and those of its migrations', async () => {
    const url = await emptyDatabase(program, 'project');
    const tables = await using(program, url, (database) => database.introspection.getTables());
    const own = ['installation', 'kysely_migration', 'kysely_migration_lock'];
    const names = tables.filter(({ isView }) => !isView).map(({ name }) => name);
    expect(names.filter((name) => !own.includes(name)).sort()).toEqual(
      tablesOf[program].map(({ name }) => name).sort(),
    );
  });

  test.each(directions)('is copied from %s to %s with every row and its installation id', async (...kinds) => {
    const [from, to] = [await emptyDatabase(program, kinds[0]), await emptyDatabase(program, kinds[1])];
    await fill(program, from);
    const original = await rowsOf(program, from);
    expect(Object.values(original).every((rows) => rows.length > 0)).toBe(true);
    const { code, text } = await copy(from, to);
    expect(code).toBe(0);
    expect(await rowsOf(program, to)).toEqual(original);
    expect(await rowsOf(program, from)).toEqual(original);
    for (const { name } of tablesOf[program]) expect(text).toContain(`  ${name}: ${ids.length} rows, sha256 `);
  });
});

test.each(directions)('an event after a copy from %s to %s gets an id that no listener has seen', async (...kinds) => {
  const [from, to] = [await emptyDatabase('orchestrator', kinds[0]), await emptyDatabase('orchestrator', kinds[1])];
  const insert = (database: Kysely<unknown>, eventId: string) =>
    sql<{ id: number }>`
      insert into onboarding_events (event_id, tenant_id, attempt_id, type, at, data, delivery, attempts)
      values (${eventId}, 't', 'a', 'onboarding.started', 'now', '{}', 'none', 0) returning id`.execute(database);
  await using('orchestrator', from, async (database) => {
    for (const id of ['e1', 'e2', 'e3']) await insert(database, id);
    await sql`delete from onboarding_events where event_id = 'e3'`.execute(database);
  });
  await copy(from, to);
  const inserted = await using('orchestrator', to, (database) => insert(database, 'e4'));
  expect(inserted.rows).toEqual([{ id: 4 }]);
});

describe('a copy that was interrupted', () => {
  let [from, to] = ['', ''];
  beforeEach(async () => {
    from = await emptyDatabase('email-service', 'file');
    to = await emptyDatabase('email-service', 'project');
    await fill('email-service', from);
    await expect(
      copy(from, to, {}, (text) => {
        if (text.includes('of emails copied')) throw new Error('killed');
      }),
    ).rejects.toMatchObject({
      message: `${shownDatabaseUrl(from)} was not copied completely to ${shownDatabaseUrl(to)}. Run the command again once the cause is removed: it continues`,
      cause: { message: 'killed' },
    });
  });

  test('is no database that a program starts with', async () => {
    const store = await openStore(to);
    await expect(installationIdOf(store)).rejects.toThrow(
      /^the database is an unfinished copy of installation [0-9a-f]+: complete it/,
    );
    await store.destroy();
  });

  test('continues, and ends with the same rows', async () => {
    const compared: string[] = [];
    const { text } = await copy(from, to, {}, (line) => {
      if (line.includes('copied')) compared.push(/of (\w+) copied/.exec(line)?.[1] ?? '');
    });
    expect(text).toContain('continued a copy that was interrupted');
    expect(compared).not.toContain('accounts');
    expect(compared).toContain('outbox');
    expect(await rowsOf('email-service', to)).toEqual(await rowsOf('email-service', from));
  });

  test('begins again if the source has changed since', async () => {
    await using('email-service', from, async (database) => {
      await sql`update accounts set last_event_number = 900 where id = 'B'`.execute(database);
      await sql`delete from api_keys where id = 'é'`.execute(database);
    });
    const { text } = await copy(from, to);
    expect(text).toContain('the source had changed since an interrupted copy: copied everything again');
    expect(await rowsOf('email-service', to)).toEqual(await rowsOf('email-service', from));
  });

  test('is not continued from another database', async () => {
    const other = await emptyDatabase('email-service', 'file');
    await expect(copy(other, to)).rejects.toThrow(/the target is an unfinished copy of installation [0-9a-f]+/);
  });
});

describe('refuses', () => {
  let [from, to] = ['', ''];
  beforeEach(async () => {
    from = await emptyDatabase('orchestrator', 'file');
    to = await emptyDatabase('orchestrator', 'project');
  });

  test('a target with other data', async () => {
    await using('orchestrator', to, (database) =>
      sql`insert into secrets (ref, sealed, updated_at) values ('r', 's', 'now')`.execute(database),
    );
    await expect(copy(from, to)).rejects.toThrow('the target has other data: its table secrets is not empty');
  });

  test('a target that already is the copy', async () => {
    await copy(from, to);
    await expect(copy(from, to)).rejects.toThrow('the target already is a complete copy');
  });

  test('a source or a target that a program has open', async () => {
    for (const url of [from, to]) {
      const program = await openDatabase(url);
      await sql`select 1`.execute(program);
      await expect(copy(from, to)).rejects.toThrow(' is open in another program: stop all programs first');
      await program.destroy();
    }
    expect((await copy(from, to)).code).toBe(0);
  });

  test('a target without migrations, and names the command', async () => {
    await using('orchestrator', to, (database) =>
      sql`delete from kysely_migration where name = '0001-baseline'`.execute(database),
    );
    await expect(copy(from, to)).rejects.toThrow(
      /lacks 1 migration: 0001-baseline\. Set SENDOFF_DATABASE_URL to it and run: sendoff migrate --only orchestrator$/,
    );
  });

  test('a database of a later version', async () => {
    await using('orchestrator', from, (database) =>
      sql`insert into kysely_migration (name, timestamp) values ('0999-later', 'now')`.execute(database),
    );
    await expect(copy(from, to)).rejects.toThrow('was migrated by a later version: 0999-later. Use that version');
  });

  test('a source without the tables of a program, and a URL that is none', async () => {
    const path = join(folder, 'empty.db');
    writeFileSync(path, '');
    await expect(copy(`file:${path}`, to)).rejects.toThrow(`file:${path} holds no tables of either program`);
    await expect(copy(from, to, { only: 'email-service' })).rejects.toThrow('holds no tables of email-service');
    await expect(copy('sendoff.db', to)).rejects.toThrow('--from must be file: followed by a path');
  });
});

onSqlite(() => {
  test('a copy whose rows differ from the source is not completed', async () => {
    const [from, to] = [await emptyDatabase('email-service', 'file'), await emptyDatabase('email-service', 'file')];
    await fill('email-service', from);
    await using('email-service', to, (database) =>
      sql`create trigger spoil after insert on accounts when new.id = 'B'
        begin update accounts set created_at = 'other' where id = 'B'; end`.execute(database),
    );
    await expect(copy(from, to)).rejects.toThrow(/the copy of accounts differs: 125 rows with checksum \w+ became 125/);
    const store = await openStore(to);
    await expect(installationIdOf(store)).rejects.toThrow('unfinished copy');
    await store.destroy();
  });
});

test('names the operator token that the email service kept beside its file', async () => {
  const [from, to] = [await emptyDatabase('email-service', 'file'), await emptyDatabase('email-service', 'project')];
  const tokenFile = `${from.slice('file:'.length)}.operator-token`;
  writeFileSync(tokenFile, 'secret');
  const { text } = await copy(from, to);
  expect(text).toContain(`set EMAIL_SERVICE_OPERATOR_TOKEN to the content of ${tokenFile}`);
});
