import type { FastifyInstance } from 'fastify';
import { SettingsError } from '../settings.ts';

export interface ListenAt {
  readonly host: string;
  readonly port: number;
  /** The names of the two settings. */
  readonly settings: { readonly host: string; readonly port: string };
}

/** @returns the URL. Throws SettingsError, naming the setting, if the program cannot listen on the address. */
export async function listen(app: Pick<FastifyInstance, 'listen'>, at: ListenAt): Promise<string> {
  const { host, port } = at;
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw listenFault(error, at);
  }
}

/** A SettingsError that names the setting, or the error itself if it has another cause. */
export function listenFault(error: unknown, { host, port, settings }: ListenAt): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const address = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  const elsewhere = `${settings.host} must be an address of this machine; found ${JSON.stringify(host)}.`;
  const faults: Readonly<Record<string, string>> = {
    EADDRINUSE: `${address} is in use by another program. Stop that program, or set ${settings.port} to another port; ${settings.host} is ${host}.`,
    EACCES: `This user may not listen on ${address}. Set ${settings.port} to a port from 1024; found ${String(port)}.`,
    EADDRNOTAVAIL: elsewhere,
    ENOTFOUND: elsewhere,
  };
  const fault = faults[String(code)];
  return fault === undefined ? error : new SettingsError(fault, { cause: error });
}
