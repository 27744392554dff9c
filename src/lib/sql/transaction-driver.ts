import type { DatabaseConnection, Driver, TransactionSettings } from 'kysely';

/** A connection that begins and ends its transactions itself. */
export interface TransactionConnection extends DatabaseConnection {
  begin(settings: TransactionSettings): Promise<void>;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
  release(): void;
}

export const transactionDriver = (
  database: Pick<Driver, 'init' | 'destroy'> & { connect(): Promise<TransactionConnection> },
): Driver => ({
  init: () => database.init(),
  acquireConnection: () => database.connect(),
  beginTransaction: (connection: TransactionConnection, settings) => connection.begin(settings),
  commitTransaction: (connection: TransactionConnection) => connection.commit(),
  rollbackTransaction: (connection: TransactionConnection) => connection.rollBack(),
  releaseConnection: async (connection: TransactionConnection) => {
    connection.release();
  },
  destroy: () => database.destroy(),
});
