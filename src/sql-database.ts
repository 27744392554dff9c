// Leaf library: opens a SQLite file through kysely and brings its schema up to date.
import Sqlite from 'libsql';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type Migration,
  Migrator,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';

/** How long one writer waits for another before SQLITE_BUSY; writes here take milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * SQLite rolls changes of the schema back like any other; kysely does not make use of it by itself, and a kill between two
 * statements of a migration would then leave a database that no start can mend.
 */
class TransactionalSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }

  override createDriver(): SqliteDriver {
    return new WaitingSqliteDriver(this.#config);
  }
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Takes the write lock at the beginning, where SQLite waits for it. One that has read first and then wants to write is
 * refused at once when another process has written meanwhile, as two programs do that make the same new database.
 */
class WaitingSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

/** @param url `file:PATH`; the folder is made when it is missing. Throws when a migration fails; nothing of it stays then. */
export async function openSqlDatabase<Schema>(
  url: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<Kysely<Schema>> {
  const path = url.replace(/^file:/, '');
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Emails and addresses are in it: for nobody else on the machine. SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600));
  }
  const sqlite = new Sqlite(path);
  // WAL lets readers go on beside a writer; FULL makes a commit survive a power cut, which "accepted" promises.
  sqlite.exec(`
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
  `);
  const database = new Kysely<Schema>({ dialect: new TransactionalSqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    await database.destroy();
    throw new Error(`the schema of ${url} could not be brought up to date`, { cause: error });
  }
  return database;
}
