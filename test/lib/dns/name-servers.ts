// Name servers on different loopback addresses and one port, as real ones all use port 53.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, type Answer, type DecodedPacket, type Packet } from 'dns-packet';
import { onTestFinished } from 'vitest';
import { startDnsServer, type DnsServer, type DnsServerOptions } from '../../../src/dev/world/dns-server.ts';
import { toAnswer } from '../../../src/dev/world/zone-answer.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import {
  createAuthoritativeResolver,
  type AuthoritativeResolver,
  type AuthoritativeResolverOptions,
} from '../../../src/lib/dns/resolver/authoritative-resolver.ts';

/** They stop when the test has ended. */
export interface NameServers {
  /** Where authoritative servers listen. */
  readonly port: number;
  /** The recursive resolver; it serves the top-level domain `test` itself. */
  readonly recursive: DnsServer;
  /** The server of `test` at 127.0.0.2. */
  readonly top: DnsServer;
  add(host: string, zones: readonly ZoneRecord[]): Promise<DnsServer>;
  /** The only server of a zone. */
  serve(apex: string, host: string, ...records: readonly ZoneRecord[]): Promise<DnsServer>;
  /** A server that answers each datagram with the result of `answer`, or not at all if it is undefined. */
  script(host: string, answer: (query: DecodedPacket) => Packet | undefined): Promise<ScriptedServer>;
  /** Asks them, at any address. */
  resolver(options?: Partial<AuthoritativeResolverOptions>): AuthoritativeResolver;
}

interface ScriptedServer {
  readonly queries: readonly DecodedPacket[];
}

function soa(apex: string): ZoneRecord {
  return { name: apex, type: 'SOA', value: `ns1.${apex} hostmaster.${apex} 1 3600 600 604800 30` };
}

/** Denials may be remembered for a quarter of an hour. */
export const soaOf = (apex: string, ttlSeconds = 60): Answer =>
  toAnswer({ name: apex, type: 'SOA', value: `ns1.${apex} hostmaster.${apex} 1 60 60 60 900`, ttlSeconds });

/** The zone with its servers ns1, ns2, ... at these addresses. */
export function zoneAt(apex: string, ...addresses: readonly string[]): readonly ZoneRecord[] {
  return [soa(apex), ...delegation(apex, ...addresses)];
}

export function delegation(apex: string, ...addresses: readonly string[]): readonly ZoneRecord[] {
  return addresses.flatMap((value, at): ZoneRecord[] => {
    const host = `ns${at + 1}.${apex}`;
    return [
      { name: apex, type: 'NS', value: host },
      { name: host, type: value.includes(':') ? 'AAAA' : 'A', value },
    ];
  });
}

/** @param delegations what the server of `test` knows beside its own zone */
export async function startNameServers(delegations: readonly ZoneRecord[]): Promise<NameServers> {
  const topZone = [...zoneAt('test', '127.0.0.2'), ...delegations];
  // Refers to the servers of the zones below, which is no statement about what is there.
  const recursive = await startServer({ zones: topZone });
  const top = await startServer({ zones: topZone, host: '127.0.0.2' });
  const { port } = top;
  return {
    ...{ port, recursive, top },
    add: (host, zones) => startServer({ zones, host, port }),
    serve: (apex, host, ...records) => startServer({ zones: [...zoneAt(apex, host), ...records], host, port }),
    script: (host, answer) => startScriptedServer(host, port, answer),
    resolver: (options) =>
      createAuthoritativeResolver({ mayAsk: () => true, resolvers: [recursive.address], port, ...options }),
  };
}

async function startServer(options: DnsServerOptions): Promise<DnsServer> {
  const server = await startDnsServer(options);
  onTestFinished(() => server.stop());
  return server;
}

async function startScriptedServer(
  host: string,
  port: number,
  answer: (query: DecodedPacket) => Packet | undefined,
): Promise<ScriptedServer> {
  const socket = createSocket('udp4');
  const queries: DecodedPacket[] = [];
  socket.on('message', (message, from) => {
    const query = decode(message);
    queries.push(query);
    const response = answer(query);
    if (response === undefined) return;
    const { id, questions } = query;
    socket.send(encode({ type: 'response', id, questions, ...response }), from.port, from.address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { queries };
}
