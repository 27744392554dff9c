import type { LookUpType } from './answer.ts';
import { askServer, type ServerReply } from './ask-server.ts';
import type { Delegation, NameServer } from './delegation.ts';
import type { AddressPolicy } from '../address-policy.ts';
import type { RecursiveClient, LookUpBudget } from './recursive-client.ts';

/** What a server says at the apex of its zone. */
export interface ApexAnswer {
  /** The servers that the zone names for itself, with the addresses that it has; empty when it names none. */
  readonly servers: readonly NameServer[];
  /** The server has answered a question with capital letters, so its denials of such names can be believed. */
  readonly knowsCapitals: boolean;
}

/** The way to zones as the lookups of one check have found it; never records, and nothing that failed or does not exist. */
export interface KnownZones {
  /** By zone, below the top-level domains. */
  readonly delegations: Map<string, Delegation>;
  /** Addresses of name servers that were looked up, by host. */
  readonly addresses: Map<string, readonly string[]>;
  /** By zone and address. One question to one address, so that no lookup waits for another one. */
  readonly apexes: Map<string, Promise<ApexAnswer>>;
  /** By zone, a server that has answered. */
  readonly speakers: Map<string, NameServer>;
}

export const newKnownZones = (): KnownZones => ({
  delegations: new Map(),
  addresses: new Map(),
  apexes: new Map(),
  speakers: new Map(),
});

/** The state of one lookup. */
export interface Walk extends LookUpBudget {
  readonly recursive: RecursiveClient;
  readonly port: number;
  readonly mayAsk: AddressPolicy;
  /** Zones below the top-level domain; no recursive resolver is asked about names in them. */
  readonly zonesSeen: Set<string>;
  readonly known: KnownZones;
  /** One server of a tenant's zone is asked instead of all, and its answer is believed as it is. */
  readonly asksOne: boolean;
}

/** One question to one address, within the limits of the lookup. */
export function ask(
  walk: Walk,
  address: string,
  name: string,
  type: LookUpType,
  inLowerCase = false,
): Promise<ServerReply> {
  const timeoutMs = walk.takeQuestion();
  if (timeoutMs === 0) return Promise.resolve({ failure: 'limit' });
  return askServer({ address, port: walk.port }, name, type, {
    recursionDesired: false,
    ...(inLowerCase && { inLowerCase: 'twice' }),
    timeoutMs,
  });
}
