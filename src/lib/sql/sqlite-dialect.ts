// SQLite for kysely.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SelectModifierNode,
  type TransactionSettings,
} from 'kysely';
import { SqliteFile, type SqliteOptions, type SqliteTransaction } from './sqlite-file.ts';

export class SqliteDialect implements Dialect {
  readonly #driver: SqliteDriver;

  private constructor(driver: SqliteDriver) {
    this.#driver = driver;
  }

  /** Opens the file, which must exist. */
  static async open(path: string, options: SqliteOptions = {}): Promise<SqliteDialect> {
    return new SqliteDialect(new SqliteDriver(await SqliteFile.open(path, options)));
  }

  createDriver(): Driver {
    return this.#driver;
  }

  createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }

  createQueryCompiler(): QueryCompiler {
    return new SingleWriterQueryCompiler();
  }

  createIntrospector(database: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(database);
  }
}

/**
 * SQLite can roll back schema changes, but kysely does not use that by default: a kill between two statements of a migration
 * would leave a database that no start can fix.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A transaction holds the write lock from its beginning, so SQLite has no row locks to ask for. */
class SingleWriterQueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!ROW_LOCKS.has(node.modifier)) super.visitSelectModifier(node);
  }
}

const ROW_LOCKS = new Set<SelectModifierNode['modifier']>(['ForUpdate', 'ForNoKeyUpdate', 'ForShare', 'SkipLocked']);

class SqliteDriver implements Driver {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async init(): Promise<void> {
    // The file is already open.
  }

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#file);
  }

  beginTransaction(connection: SqliteConnection, { accessMode }: TransactionSettings): Promise<void> {
    return connection.begin(accessMode);
  }

  commitTransaction(connection: SqliteConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: SqliteConnection): Promise<void> {
    return connection.rollback();
  }

  async releaseConnection(): Promise<void> {
    // It holds nothing: a transaction ends with its commit or rollback.
  }

  async destroy(): Promise<void> {
    this.#file.close();
  }
}

/** One caller's view of the file: single queries, or those of its transaction. */
class SqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile;
  #transaction: SqliteTransaction | undefined;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#transaction === undefined && WRITES.has(query.query.kind)) return this.#file.write<Row>(query);
    return (this.#transaction ?? this.#file).execute<Row>(query);
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }

  async begin(accessMode: TransactionSettings['accessMode']): Promise<void> {
    this.#transaction = await this.#file.begin(accessMode);
  }

  async commit(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    await transaction?.commit();
  }

  async rollback(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    await transaction?.rollBack();
  }
}

const WRITES = new Set<CompiledQuery['query']['kind']>(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);
