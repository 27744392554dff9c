import { isIP } from 'node:net';

export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** Reads `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` and `[2001:db8::1]:5353`; throws on anything else. */
export function parseServerAddress(text: string, defaultPort = 53): ServerAddress {
  // A colon before a port and the colons of an IPv6 address are told apart by brackets, or by there being one colon only.
  const parts = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? /^([^:]+)(?::(\d+))?$/.exec(text);
  const address = parts?.[1] ?? text;
  const port = Number(parts?.[2] ?? defaultPort);
  if (isIP(address) === 0 || port < 1 || port > 65_535) {
    throw new Error(
      `A name server must be an IP address with an optional port; found ${JSON.stringify(text)}. Write 192.0.2.1:53 or [2001:db8::1]:53.`,
    );
  }
  return { address, port };
}
