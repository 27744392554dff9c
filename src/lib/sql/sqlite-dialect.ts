// SQLite for kysely.
import {
  type CompiledQuery,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SelectModifierNode,
  type TransactionSettings,
} from 'kysely';
import { SqliteFile, type SqliteOptions, type SqliteTransaction } from './sqlite-file.ts';
import { type TransactionConnection, transactionDriver } from './transaction-driver.ts';

/** Opens the file, which must exist. */
export async function openSqliteDialect(path: string, options: SqliteOptions = {}): Promise<Dialect> {
  const file = await SqliteFile.open(path, options);
  return {
    createDriver: () =>
      transactionDriver({
        init: async () => undefined,
        connect: async () => new SqliteConnection(file),
        destroy: async () => {
          file.close();
        },
      }),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new SingleWriterQueryCompiler(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
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

/** One caller's view of the file: single queries, or those of its transaction. */
class SqliteConnection implements TransactionConnection {
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

  async begin({ accessMode }: TransactionSettings): Promise<void> {
    this.#transaction = await this.#file.begin(accessMode);
  }

  async commit(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    await transaction?.commit();
  }

  async rollBack(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    await transaction?.rollBack();
  }

  release(): void {
    // It holds nothing: a transaction ends with its commit or rollback.
  }
}

const WRITES = new Set<CompiledQuery['query']['kind']>(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);
