import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';

/** More than both programs have; those with short lists of different lengths come and go. */
const STATEMENTS_MAX = 500;
/** Statements with long lists are seldom used again, and each takes as much memory as its list is long. */
const KEPT_PARAMETERS_MAX = 50;

/** Keeps the statements that it has prepared: SQLite takes longer to prepare most of ours than to run them. */
export class PreparedSqlite {
  readonly #sqlite: DatabaseSyncInstance;
  /** By their text, the one used longest ago first. */
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(path: string) {
    this.#sqlite = new DatabaseSync(path);
  }

  get isTransaction(): boolean {
    return this.#sqlite.isTransaction;
  }

  exec(text: string): void {
    this.#sqlite.exec(text);
  }

  prepare(text: string, parameters: number): StatementSyncInstance {
    if (parameters > KEPT_PARAMETERS_MAX) return this.#sqlite.prepare(text);
    const statement = this.#statements.get(text) ?? this.#sqlite.prepare(text);
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > STATEMENTS_MAX && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#sqlite.close();
  }
}
