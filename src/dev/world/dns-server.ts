import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import {
  decode,
  type DecodedPacket,
  encode,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import { EDNS } from '../../lib/dns/resolver/ask-server.ts';
import { answerFromZones } from './zone-answer.ts';
import { openZoneStore } from './zone-store.ts';
import { withZoneOf } from './world-zones.ts';
import type { ZoneRecord, ZoneRecordType } from './zone-record.ts';

export interface DnsServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  readonly port: number;
  publish(records: readonly ZoneRecord[]): void;
  withdraw(name: string, type: ZoneRecordType): void;
  /** Every query so far, oldest first. */
  readonly queries: readonly DnsQuery[];
  stop(): Promise<void>;
}

interface DnsQuery {
  /** Lower case. */
  readonly name: string;
  readonly type: string;
  readonly transport: 'udp' | 'tcp';
  /** The RD bit: set in queries to recursive resolvers only. */
  readonly recursionDesired: boolean;
}

export interface DnsServerOptions {
  readonly zones: readonly ZoneRecord[];
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default 0: a free port, the same for UDP and TCP */
  readonly port?: number;
  /** File for published records. @default they are lost at the end */
  readonly file?: string;
  /** Every domain below the top-level domains of the zones has an empty zone. @default false */
  readonly registersAll?: boolean;
}

/** Limit of a response to a query without EDNS, RFC 1035 section 4.2.1. */
const PLAIN_UDP_BYTES = 512;

/** A port that is free for TCP is rarely taken for UDP; repeated failures have another cause. */
const PORT_ATTEMPTS = 10;

/** An authoritative server on loopback, which serves as the recursive resolver too. It refuses names outside its zones. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const host = options.host ?? '127.0.0.1';
  const store = openZoneStore(options.zones, options.file);
  const queries: DnsQuery[] = [];
  const connections = new Set<Socket>();

  const recordsFor = (name: string): readonly ZoneRecord[] =>
    options.registersAll === true ? withZoneOf(name, store.all()) : store.all();

  function respond(message: Buffer, transport: DnsQuery['transport']): Buffer | undefined {
    const query = readQuery(message);
    const question = query?.questions?.[0];
    if (query === undefined || question === undefined) return undefined;
    const { name, type } = question;
    queries.push({ name: name.toLowerCase(), type, transport, recursionDesired: query.flag_rd });
    const { flags, answers, authorities, additionals } = answerFromZones(recordsFor(name), name, type);
    const header = {
      type: 'response' as const,
      id: query.id,
      flags: flags | (query.flag_rd ? RECURSION_DESIRED | RECURSION_AVAILABLE : 0),
      questions: [question],
    };
    const edns = query.additionals?.filter((record) => record.type === 'OPT').map(() => EDNS) ?? [];
    const whole = encode({
      ...header,
      answers: [...answers],
      authorities: [...authorities],
      additionals: [...additionals, ...edns],
    });
    if (transport === 'tcp' || whole.length <= udpBytesOf(query)) return whole;
    return encode({ ...header, flags: header.flags | TRUNCATED_RESPONSE, additionals: edns });
  }

  const { udp, tcp, port } = await bindBoth(host, options.port ?? 0);
  udp.on('message', (message, from) => {
    const response = respond(message, 'udp');
    if (response !== undefined) udp.send(response, from.port, from.address);
  });
  // The client may have gone before its answer.
  udp.on('error', () => undefined);
  tcp.on('connection', (connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    serveConnection(connection, (message) => respond(message, 'tcp'));
  });

  return {
    address: host.includes(':') ? `[${host}]:${String(port)}` : `${host}:${String(port)}`,
    port,
    publish: (records) => {
      store.publish(records);
    },
    withdraw: (name, type) => {
      store.withdraw(name, type);
    },
    queries,
    async stop() {
      for (const connection of connections) connection.destroy();
      await Promise.all([
        new Promise<void>((resolve) => {
          udp.close(resolve);
        }),
        new Promise((resolve) => tcp.close(resolve)),
      ]);
    },
  };
}

function readQuery(message: Buffer): DecodedPacket | undefined {
  try {
    const packet = decode(message);
    return packet.flag_qr ? undefined : packet;
  } catch {
    // Not a DNS message.
    return undefined;
  }
}

function udpBytesOf(query: DecodedPacket): number {
  const opt = query.additionals?.find((record) => record.type === 'OPT');
  return opt?.type === 'OPT' ? Math.max(opt.udpPayloadSize, PLAIN_UDP_BYTES) : PLAIN_UDP_BYTES;
}

/** RFC 7766: any number of messages on one connection, each after its length in two bytes. */
function serveConnection(connection: Socket, respond: (message: Buffer) => Buffer | undefined): void {
  let received = Buffer.alloc(0);
  connection.on('error', () => connection.destroy());
  connection.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const response = respond(received.subarray(2, end));
      received = received.subarray(end);
      if (response === undefined) {
        connection.destroy();
        return;
      }
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      connection.write(Buffer.concat([length, response]));
    }
  });
}

async function bindBoth(host: string, wanted: number): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const tcp = createServer();
    tcp.listen(wanted, host);
    await once(tcp, 'listening');
    const address = tcp.address();
    const port = address !== null && typeof address === 'object' ? address.port : wanted;
    const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    try {
      udp.bind(port, host);
      await once(udp, 'listening');
      return { udp, tcp, port };
    } catch (error) {
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
      if (wanted !== 0 || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
