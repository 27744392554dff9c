import { Connection } from '@temporalio/client';
import type { ConnectionOptions } from '@temporalio/client';

/** Runs `use` with a connection and closes it. Throws when no Temporal server answers at the address. */
export async function withConnection<T>(
  connectionOptions: ConnectionOptions & { readonly address: string },
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(connectionOptions);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

async function connect(connectionOptions: ConnectionOptions & { readonly address: string }): Promise<Connection> {
  try {
    return await Connection.connect(connectionOptions);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`no Temporal server answers at ${connectionOptions.address} (${reason})`, { cause: error });
  }
}
