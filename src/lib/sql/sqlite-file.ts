// One SQLite file of this process. Queries wait for locks outside SQLite: waiting inside it would block the event loop. A commit waits for
// the disk and stops the process meanwhile, so the transactions of one turn of the event loop are committed together. The connection is
//
//   free        no transaction is open in SQLite, and anything may begin
//   occupied    one transaction has begun and not ended; the others wait for its end (`#transactionEnd`)
//   collecting  writes have ended and are not on the disk (`#group`): the next one joins them as a savepoint, reads wait for the commit
//   committing  the turn is over (`isClosed`): everything that has not begun waits for the commit, after which the connection is free
//
// Occupied and collecting can be true at once. What SQLite rolls back, as on a full disk, rejects the whole group.
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { CompiledQuery, type QueryResult, type TransactionSettings } from 'kysely';
import { CommitGroup } from './commit-group.ts';
import { PreparedSqlite } from './prepared-sqlite.ts';
import { isBusy, rolledBack, SqliteError } from './sqlite-error.ts';

/** Writes take milliseconds, so a lock that is held this long is another program's fault. */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 20;

export interface SqliteOptions {
  /** How long a query waits for other writers, in this process and in others, before SQLITE_BUSY. @default 5 seconds */
  readonly busyTimeoutMs?: number;
}

/** The file with its only connection, which serves one transaction at a time; a commit resolves once its group is on the disk. */
export class SqliteFile {
  readonly #sqlite: PreparedSqlite;
  readonly #busyTimeoutMs: number;
  readonly #isInPlace: () => boolean;
  #transactionEnd: Promise<void> | undefined;
  #group: CommitGroup | undefined;

  private constructor(path: string, busyTimeoutMs: number) {
    this.#sqlite = new PreparedSqlite(path);
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#isInPlace = inPlaceCheck(path);
  }

  static async open(path: string, { busyTimeoutMs = BUSY_TIMEOUT_MS }: SqliteOptions): Promise<SqliteFile> {
    const file = new SqliteFile(path, busyTimeoutMs);
    try {
      // WAL lets readers continue during a write; FULL makes a commit survive a power cut, as "accepted" promises.
      for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'])
        await file.execute(CompiledQuery.raw(`PRAGMA ${setting}`));
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** One query outside a transaction. */
  execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#whenFree(() => execute<Row>(this.#sqlite, query));
  }

  /** One write as a transaction of its own. */
  async write<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const transaction = await this.begin(undefined);
    try {
      const result = await transaction.execute<Row>(query);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollBack();
      throw error;
    }
  }

  /**
   * Takes the write lock at once, unless it only reads: SQLite refuses the first write of a transaction that has read, if another
   * process has written since.
   */
  begin(accessMode: TransactionSettings['accessMode']): Promise<SqliteTransaction> {
    const isRead = accessMode === 'read only';
    return this.#whenFree(() => {
      const begin = this.#group !== undefined ? 'savepoint member' : isRead ? 'begin' : 'begin immediate';
      execute(this.#sqlite, CompiledQuery.raw(begin));
      let end = (): void => undefined;
      this.#transactionEnd = new Promise((resolve) => (end = resolve));
      return new SqliteTransaction(this.#sqlite, {
        group: this.#group,
        commit: isRead ? undefined : () => (this.#group ?? this.#openGroup()).committed,
        end: () => {
          this.#transactionEnd = undefined;
          // SQLite rolls back everything when the disk is full or fails.
          if (!this.#sqlite.isTransaction) this.#endGroup(rolledBack());
          end();
        },
      });
    }, !isRead);
  }

  close(): void {
    // Undoes a transaction that has not ended, without those before it.
    if (this.#group !== undefined && this.#transactionEnd !== undefined) this.#sqlite.exec('rollback to member');
    this.#commitGroup();
    this.#moveLogIntoFile();
    this.#sqlite.close();
  }

  /** SQLite does it only when no statement is left, and the library cannot end one: a copy of the file would lack what is in the log. */
  #moveLogIntoFile(): void {
    try {
      this.#sqlite.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // A full disk, or a file that is gone: the log stays, and the next program reads it.
    }
  }

  #openGroup(): CommitGroup {
    this.#group = new CommitGroup();
    setImmediate(() => {
      this.#commitWhenFree();
    });
    return this.#group;
  }

  #commitWhenFree(): void {
    if (this.#group === undefined) return;
    this.#group.isClosed = true;
    if (this.#transactionEnd === undefined) this.#commitGroup();
    else
      void this.#transactionEnd.then(() => {
        this.#commitWhenFree();
      });
  }

  #commitGroup(): void {
    if (this.#group === undefined) return;
    try {
      execute(this.#sqlite, CompiledQuery.raw('commit'));
      this.#endGroup();
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec('rollback');
      this.#endGroup(error);
    }
  }

  #endGroup(error?: unknown): void {
    const group = this.#group;
    this.#group = undefined;
    group?.end(error);
  }

  /** `run` is synchronous, so nothing happens between the checks and it. */
  async #whenFree<T>(run: () => T, mayJoin = false): Promise<T> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (;;) {
      for (let end = this.#nextEnd(mayJoin); end !== undefined; end = this.#nextEnd(mayJoin)) await end;
      if (!this.#isInPlace())
        throw new SqliteError(
          'SQLITE_READONLY_DBMOVED',
          'the database file was moved, replaced or deleted while in use',
        );
      try {
        return run();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
      }
      await setTimeout(BUSY_RETRY_MS);
    }
  }

  /** The work that has to end first. Only transactions of the group see what is not committed yet. */
  #nextEnd(mayJoin: boolean): Promise<unknown> | undefined {
    if (this.#transactionEnd !== undefined) return this.#transactionEnd;
    return mayJoin && this.#group?.isClosed !== true ? undefined : this.#group?.ended;
  }
}

interface TransactionEnds {
  /** The group that it is a savepoint of. */
  readonly group: CommitGroup | undefined;
  /** Resolves when its group is committed. Undefined if it only reads. */
  readonly commit: (() => Promise<void>) | undefined;
  readonly end: () => void;
}

export class SqliteTransaction {
  readonly #sqlite: PreparedSqlite;
  readonly #ends: TransactionEnds;
  #hasEnded = false;

  constructor(sqlite: PreparedSqlite, ends: TransactionEnds) {
    this.#sqlite = sqlite;
    this.#ends = ends;
  }

  async execute<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    // A full or failing disk ends the transaction; later statements would commit one by one.
    if (!this.#sqlite.isTransaction) throw rolledBack();
    return execute<Row>(this.#sqlite, query);
  }

  async commit(): Promise<void> {
    const { group, commit } = this.#ends;
    try {
      if (!this.#sqlite.isTransaction) throw rolledBack();
      if (group !== undefined) execute(this.#sqlite, CompiledQuery.raw('release member'));
      else if (commit === undefined) execute(this.#sqlite, CompiledQuery.raw('commit'));
    } catch (error) {
      await this.rollBack();
      throw error;
    }
    const committed = commit?.();
    this.#end();
    await committed;
  }

  /**
   * No effect after its end. A refusal may rest on what the group has written, so it waits until that is on the disk.
   * @throws the error of the group's commit
   */
  async rollBack(): Promise<void> {
    if (this.#hasEnded) return;
    const { group } = this.#ends;
    const isOpen = this.#sqlite.isTransaction;
    try {
      if (isOpen) this.#undo();
    } finally {
      this.#end();
    }
    if (isOpen) await group?.committed;
  }

  #undo(): void {
    try {
      this.#sqlite.exec(this.#ends.group === undefined ? 'rollback' : 'rollback to member; release member');
    } catch (error) {
      // Otherwise the group would commit what could not be undone.
      if (this.#sqlite.isTransaction) this.#sqlite.exec('rollback');
      throw error;
    }
  }

  #end(): void {
    this.#hasEnded = true;
    this.#ends.end();
  }
}

function execute<Row>(sqlite: PreparedSqlite, { sql, parameters }: CompiledQuery): QueryResult<Row> {
  const values = parameters.map(asInputValue);
  try {
    const statement = sqlite.prepare(sql, values.length);
    if (statement.columns().length > 0) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  } catch (error) {
    throw asSqliteError(error);
  }
}

/** SQLite binds a text only up to its first NUL, so it could equal another text; bytes equal no text. */
function asInputValue(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? Buffer.from(value) : value;
}

/** For statements that return rows, the driver reports only SQLite's text, not its code. */
const CODES_BY_TEXT: Readonly<Record<string, string>> = {
  'database is locked': 'SQLITE_BUSY',
  'database table is locked': 'SQLITE_LOCKED',
  'database or disk is full': 'SQLITE_FULL',
  'attempt to write a readonly database': 'SQLITE_READONLY',
  'disk I/O error': 'SQLITE_IOERR',
  'unable to open database file': 'SQLITE_CANTOPEN',
};

/** The driver uses one code for all errors; this uses SQLite's name of the reason. */
function asSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return error;
  const { message } = error;
  const code = 'sqliteCodeName' in error ? String(error.sqliteCodeName) : CODES_BY_TEXT[message];
  return new SqliteError(code ?? 'SQLITE_ERROR', message, { cause: error });
}

/** Whether the path still leads to the opened file: writes to a replaced file would be lost. */
function inPlaceCheck(path: string): () => boolean {
  const identity = (): string | undefined => {
    const file = statSync(path, { bigint: true, throwIfNoEntry: false });
    return file && `${file.dev}/${file.ino}`;
  };
  const opened = identity();
  return () => identity() === opened;
}
