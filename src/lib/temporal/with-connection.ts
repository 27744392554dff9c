import type { Connection, ConnectionOptions } from '@temporalio/client';
import type { ApiKeyFile } from './api-key-file.ts';
import { connectClient } from './connect-client.ts';

/** Throws if no Temporal server answers at the address. */
export async function withConnection<T>(
  connectionOptions: ConnectionOptions & ApiKeyFile,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connectClient(connectionOptions);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
