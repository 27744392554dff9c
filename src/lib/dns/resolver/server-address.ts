import { isIP } from 'node:net';

export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** Reads `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. @throws Error for anything else */
export function parseServerAddress(text: string, defaultPort = 53): ServerAddress {
  // Without brackets, a single colon precedes a port, and several are part of an IPv6 address.
  const parts = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+)(?::(\d+))?$/.exec(text);
  const address = parts?.[1] ?? text;
  const port = Number(parts?.[2] ?? defaultPort);
  if (isIP(address) === 0 || port < 1 || port > 65_535) {
    throw new Error(
      `Expected the IP address of a name server, such as 192.0.2.1:53 or [2001:db8::1]:53; found ${JSON.stringify(text)}`,
    );
  }
  return { address, port };
}
