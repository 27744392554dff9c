import { Connection, type ConnectionOptions } from '@temporalio/client';
import ipaddr from 'ipaddr.js';
import { type ApiKeyFile, followApiKeyFile } from './api-key-file.ts';

export const ADDRESS_DEFAULT = '127.0.0.1:7233';

/** A page of a history may be as large as a history; gRPC takes 4 MB by default. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;

/** gRPC uses the proxy of the first variable that is set. */
const PROXY_VARIABLES = ['grpc_proxy', 'https_proxy', 'http_proxy'];

export class NoTemporalServerError extends Error {
  override readonly name = 'NoTemporalServerError';
}

/**
 * Connects to a Temporal server; to one on this machine without a proxy, because a proxy has its own loopback. Errors name the
 * address and the proxy.
 */
export async function connectClient({ apiKeyFile, ...options }: ConnectionOptions & ApiKeyFile): Promise<Connection> {
  const address = options.address ?? ADDRESS_DEFAULT;
  const isLocal = isLoopback(address);
  const channelArgs = {
    'grpc.max_receive_message_length': ANSWER_BYTES_MAX,
    ...options.channelArgs,
    ...(isLocal && { 'grpc.enable_http_proxy': 0 }),
  };
  try {
    const connection = await Connection.connect({ ...options, channelArgs });
    return followApiKeyFile(connection, apiKeyFile);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const proxy = isLocal ? '' : proxyHint();
    throw new NoTemporalServerError(`no Temporal server answers at ${address} (${reason})${proxy}`, { cause: error });
  }
}

/** @param address `host:port`, as gRPC takes it */
export function isLoopback(address: string): boolean {
  const host = address
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** Shows only the host: the URL of a proxy may have a password. */
function proxyHint(): string {
  // eslint-disable-next-line no-restricted-properties -- gRPC itself reads its proxy there
  const environment = process.env;
  const variable = PROXY_VARIABLES.find((name) => (environment[name] ?? '') !== '');
  const value = variable === undefined ? undefined : environment[variable];
  if (variable === undefined || value === undefined || !URL.canParse(value)) return '';
  return `; ${variable} names the proxy ${new URL(value).host}, which is used unless no_proxy lists this host`;
}
