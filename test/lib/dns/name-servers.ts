// Name servers on different loopback addresses and one port, as real ones all use port 53.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, type DecodedPacket, type Packet } from 'dns-packet';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';

export interface NameServers {
  /** Where authoritative servers listen. */
  readonly port: number;
  /** The recursive resolver; it serves the top-level domain `test` itself. */
  readonly recursive: DnsServer;
  /** The server of `test` at 127.0.0.2. */
  readonly top: DnsServer;
  add(host: string, zones: readonly ZoneRecord[]): Promise<DnsServer>;
  /** A server that answers each datagram with the result of `answer`, or not at all if it is undefined. */
  script(host: string, answer: (query: DecodedPacket) => Packet | undefined): Promise<ScriptedServer>;
  stop(): Promise<void>;
}

interface ScriptedServer {
  readonly queries: readonly DecodedPacket[];
}

function soa(apex: string): ZoneRecord {
  return { name: apex, type: 'SOA', value: `ns1.${apex} hostmaster.${apex} 1 3600 600 604800 30` };
}

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
  const ends: (() => Promise<void>)[] = [];
  const topZone = [...zoneAt('test', '127.0.0.2'), ...delegations];
  // Refers to the servers of the zones below, which is no statement about what is there.
  const recursive = await startDnsServer({ zones: topZone });
  const top = await startDnsServer({ zones: topZone, host: '127.0.0.2' });
  ends.push(
    () => recursive.stop(),
    () => top.stop(),
  );
  return {
    port: top.port,
    recursive,
    top,
    async add(host, zones) {
      const server = await startDnsServer({ zones, host, port: top.port });
      ends.push(() => server.stop());
      return server;
    },
    async script(host, answer) {
      const { stop, queries } = await startScriptedServer(host, top.port, answer);
      ends.push(stop);
      return { queries };
    },
    async stop() {
      await Promise.all(ends.map((end) => end()));
    },
  };
}

async function startScriptedServer(
  host: string,
  port: number,
  answer: (query: DecodedPacket) => Packet | undefined,
): Promise<ScriptedServer & { stop: () => Promise<void> }> {
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
  return {
    queries,
    stop: () =>
      new Promise((resolve) => {
        socket.close(resolve);
      }),
  };
}
