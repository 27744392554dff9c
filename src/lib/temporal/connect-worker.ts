import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import { ADDRESS_DEFAULT, isLoopback } from './connect-client.ts';

/** Connects Workers to a Temporal server. Compression costs CPU on both sides and saves nothing on this machine. */
export const connectWorker = (options: NativeConnectionOptions): Promise<NativeConnection> =>
  NativeConnection.connect({
    ...options,
    ...(isLoopback(options.address ?? ADDRESS_DEFAULT) && { grpcCompression: { codec: 'none' } }),
  });
