import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import { type ApiKeyFile, followApiKeyFile } from './api-key-file.ts';
import { ADDRESS_DEFAULT, isLoopback } from './connect-client.ts';

/** Connects Workers to a Temporal server. Compression costs CPU on both sides and saves nothing on this machine. */
export async function connectWorker({
  apiKeyFile,
  ...options
}: NativeConnectionOptions & ApiKeyFile): Promise<NativeConnection> {
  const connection = await NativeConnection.connect({
    ...options,
    ...(isLoopback(options.address ?? ADDRESS_DEFAULT) && { grpcCompression: { codec: 'none' } }),
  });
  return followApiKeyFile(connection, apiKeyFile);
}
