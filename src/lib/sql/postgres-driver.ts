// Connections to PostgreSQL that one broken query does not spoil.
import type { CompiledQuery, Driver, QueryResult, TransactionSettings } from 'kysely';
import {
  Client,
  type ClientConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryResultRow,
} from 'pg';
import { gauge, histogram, type Labels, sampled } from '../metrics/metrics.ts';
import { DatabaseConnectionError } from './database-error.ts';
import { type TransactionConnection, transactionDriver } from './transaction-driver.ts';

const connections = gauge<{ readonly state: 'used' | 'idle' | 'awaited' }>(
  'sendoff_db_connections',
  'Connections to PostgreSQL of this process, and how many queries and transactions wait for one.',
);
const waits = histogram<Labels>(
  'sendoff_db_wait_seconds',
  'How long a query or transaction waited for a connection to PostgreSQL, of those that found none idle.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
);

/** What the server's disk has refused. */
export interface PostgresDisk {
  /** Whether a statement of this process found it full, and none that needs space has succeeded since. */
  isFull: boolean;
}

/** @param config called with the first query */
export function createPostgresDriver(config: () => PoolConfig, disk: PostgresDisk): Driver {
  let pool: Pool | undefined;
  let endSamples: (() => void) | undefined;
  return transactionDriver({
    init: async () => {
      const opened = new Pool({ ...config(), Client: ClosingClient });
      pool = opened;
      endSamples = sampled(() => {
        connections.set(opened.totalCount - opened.idleCount, { state: 'used' });
        connections.set(opened.idleCount, { state: 'idle' });
        connections.set(opened.waitingCount, { state: 'awaited' });
      });
      // Without listeners, a connection that the server closes would end the process: the next query reports it.
      pool.on('error', ignore);
      pool.on('connect', (client) => client.on('error', ignore));
    },
    connect: async () => {
      if (pool === undefined) throw new Error('the database is closed');
      const waitsSince = pool.idleCount === 0 ? performance.now() : undefined;
      try {
        return new PostgresConnection(await pool.connect(), disk);
      } catch (error) {
        throw new DatabaseConnectionError(error);
      } finally {
        if (waitsSince !== undefined) waits.record((performance.now() - waitsSince) / 1_000, {});
      }
    },
    destroy: async () => {
      endSamples?.();
      await pool?.end();
    },
  });
}

/** The driver leaves the socket of a connection open that fails on its own side, as without a password. */
class ClosingClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.connection.on('error', () => this.connection.stream.destroy());
  }
}

const ignore = (): void => undefined;

const DISK_FULL = '53100';

/**
 * After these the server closes the connection: it shuts down, an operator ended it, or a transaction was left idle. A server that is
 * read-only may have been replaced at its address: only a new connection finds the other one.
 */
const endsConnection = ({ code = '' }: DatabaseError): boolean => /^(?:08...|57P0[1-5]|25P03|25006)$/.test(code);

/** PostgreSQL refuses a NUL in a text. None of ours has one, so what a stranger asks for with it is not found. */
const asParameter = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;

/**
 * A connection whose last answer is unknown is closed instead of used again: it may still be in a transaction.
 *
 * BEGIN is sent with the selects that follow it. Anything else waits for its answer, because a BEGIN can be cancelled, and what was sent
 * after it is then committed alone.
 */
class PostgresConnection implements TransactionConnection {
  readonly #client: PoolClient;
  readonly #disk: PostgresDisk;
  #isBroken = false;
  #begun: Promise<unknown> | undefined;
  /** Whether the statements of the transaction wait for the answer to its BEGIN: once one does, so do those after it. */
  #waits = false;

  constructor(client: PoolClient, disk: PostgresDisk) {
    this.#client = client;
    this.#disk = disk;
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
    const mode = accessMode === undefined ? '' : ` ${accessMode}`;
    this.#waits = false;
    this.#begun = this.#send(`begin${level}${mode}`, []);
    this.#begun.catch(ignore);
  }

  async commit(): Promise<void> {
    // PostgreSQL's answer after a statement that failed.
    if ((await this.#inTurn('commit')).command === 'ROLLBACK') throw new Error('the transaction was rolled back');
  }

  /** The caller needs to know why the transaction failed, and closing the connection rolls it back. */
  async rollBack(): Promise<void> {
    await this.#inTurn('rollback').catch(() => (this.#isBroken = true));
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const values = parameters.map(asParameter);
    const result = await this.#inTurn(sql, values);
    const { rows, rowCount } = result;
    // The driver's objects of this query outlive it until a full collection of garbage: with its large texts, they would fill the heap.
    result.rows = [];
    values.length = 0;
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  async #inTurn(text: string, values: unknown[] = []) {
    this.#waits ||= !/^select\b/.test(text);
    try {
      if (this.#waits) await this.#begun;
      return await this.#send(text, values);
    } catch (error) {
      this.#isBroken ||= !(error instanceof DatabaseError) || endsConnection(error);
      if (!(error instanceof DatabaseError)) throw new DatabaseConnectionError(error);
      if (error.code === DISK_FULL) this.#disk.isFull = true;
      // It has the values of the row, such as secrets and addresses, and errors are logged.
      error.detail = undefined;
      throw error;
    }
  }

  /** In one packet with the statements of this turn of the event loop. */
  #send(text: string, values: unknown[]) {
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      stream.uncork();
    });
    return this.#client.query<QueryResultRow>(text, values);
  }
}
