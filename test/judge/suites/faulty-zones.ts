// Random zones, each with one fault of its delegation or its name servers, as data.
import type { FindingCode } from '../../../src/lib/dns/findings/finding.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import type { Chances } from '../../support/seeded-chances.ts';
import type { ServerFault } from '../faulty-name-server.ts';

export interface FaultyServer {
  readonly address: string;
  readonly zones: readonly ZoneRecord[];
  readonly fault?: ServerFault;
  /** Whether its answers list the name servers of the zone, as those of many servers do. */
  readonly listsServers: boolean;
}

export interface FaultyZone {
  readonly name: string;
  readonly apex: string;
  readonly of: 'dkim' | 'spf';
  /** What the registry has: the delegation, and the addresses of hosts. */
  readonly registry: readonly ZoneRecord[];
  readonly servers: readonly FaultyServer[];
  /** The finding that sendoff must report. */
  readonly finding?: FindingCode;
  /** The verdict of the RFC, where BIND comes to it only after minutes or by chance. */
  readonly rfc?: { readonly section: string; readonly verdict: 'refused' };
}

/** The right value, and another one that is wrong, for the record of the zone. */
export interface Values {
  readonly right: string;
  readonly other: string;
}

interface Making {
  readonly apex: string;
  /** The name of the record. */
  readonly owner: string;
  readonly values: Values;
  readonly chances: Chances;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** A host outside of the zone with the n-th address of this case. */
  readonly host: (at: number) => string;
  readonly address: (at: number) => string;
}

type Made = Pick<FaultyZone, 'registry' | 'servers' | 'finding' | 'rfc'>;

const txt = (name: string, value: string): ZoneRecord => ({ name, type: 'TXT', value, ttlSeconds: 0 });
const ns = (name: string, value: string): ZoneRecord => ({ name, type: 'NS', value, ttlSeconds: 600 });
const a = (name: string, value: string): ZoneRecord => ({ name, type: 'A', value, ttlSeconds: 600 });

/** Nothing is remembered but who serves the zone, so that each question of a judge reaches a server. */
const soa = (apex: string): ZoneRecord => ({
  name: apex,
  type: 'SOA',
  value: `ns.${apex} hostmaster.${apex} 1 60 60 600 0`,
  ttlSeconds: 0,
});

const hostsUpTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** The registry names `parent`; the servers `own` are named by the zone; `holds` are the servers with the record. */
function twoSides(
  { apex, owner, values, chances, host, address }: Making,
  sides: {
    readonly parent: readonly number[];
    readonly own: readonly number[];
    readonly holds: readonly number[];
    readonly silent?: readonly number[];
    /** Instead of the record. */
    readonly otherwise?: 'nothing' | 'other';
  },
): Made {
  const all = [...new Set([...sides.parent, ...sides.own])];
  const instead = sides.otherwise === 'other' ? [txt(owner, values.other)] : [];
  return {
    registry: [...sides.parent.map((at) => ns(apex, host(at))), ...all.map((at) => a(host(at), address(at)))],
    servers: all
      .filter((at) => !sides.silent?.includes(at))
      .map((at) => ({
        address: address(at),
        listsServers: chances.once(2),
        zones: [
          soa(apex),
          ...sides.own.map((other) => ns(apex, host(other))),
          ...(sides.holds.includes(at) ? [txt(owner, values.right)] : instead),
        ],
      })),
  };
}

/** The registry names a server with the record, the zone itself another host. */
function named(making: Making, host: string): Made {
  const made = twoSides(making, { parent: [0], own: [0], holds: [0] });
  const renamed = (record: ZoneRecord): ZoneRecord => (record.type === 'NS' ? { ...record, value: host } : record);
  return { ...made, servers: made.servers.map((server) => ({ ...server, zones: server.zones.map(renamed) })) };
}

/** One zone with these servers, all alike. */
function oneSide(making: Making, count: number, fault?: ServerFault): Made {
  const all = hostsUpTo(count);
  const made = twoSides(making, { parent: all, own: all, holds: all });
  return fault === undefined ? made : { ...made, servers: made.servers.map((server) => ({ ...server, fault })) };
}

const withFinding = (finding: FindingCode, made: Made): Made => ({ ...made, finding });

const mismatch = (made: Made): Made => withFinding('delegation_mismatch', made);

/** Each fault makes a zone; those that need a DKIM record say so. */
const faults: Readonly<Record<string, { readonly of?: 'dkim' | 'spf'; readonly make: (making: Making) => Made }>> = {
  'no fault': { make: (making) => oneSide(making, making.pick([1, 2, 3])) },
  'the zone names its former servers, which lack the record': {
    make: (making) => mismatch(twoSides(making, { parent: [0, 1], own: [2, 3], holds: [0, 1] })),
  },
  'the zone names its former servers, which have another value': {
    make: (making) => mismatch(twoSides(making, { parent: [0], own: [1, 2], holds: [0], otherwise: 'other' })),
  },
  'the zone names its former servers, which have it too': {
    make: (making) => mismatch(twoSides(making, { parent: [0], own: [1], holds: [0, 1] })),
  },
  'the zone names servers that are gone': {
    make: (making) => mismatch(twoSides(making, { parent: [0, 1], own: [2], holds: [0, 1], silent: [2] })),
  },
  'the registry names the former servers': {
    make: (making) => mismatch(twoSides(making, { parent: [0], own: [1, 2], holds: [1, 2] })),
  },
  'the zone names a server more, without the record': {
    make: (making) => mismatch(twoSides(making, { parent: [0], own: [0, 1], holds: [0] })),
  },
  'the zone names a server more, with the record': {
    make: (making) => mismatch(twoSides(making, { parent: [0], own: [0, 1], holds: [0, 1] })),
  },
  'the registry names a server more, with the record': {
    make: (making) => mismatch(twoSides(making, { parent: [0, 1], own: [0], holds: [0, 1] })),
  },
  'one server lacks the record': {
    make: (making) => withFinding('ns_inconsistent', twoSides(making, { parent: [0, 1], own: [0, 1], holds: [0] })),
  },
  'the registry has a former address of the name server': {
    make({ apex, owner, values, address }) {
      const own = [soa(apex), ns(apex, `ns.${apex}`), a(`ns.${apex}`, address(1))];
      return mismatch({
        // The addresses that the zone itself has are more trustworthy than those of the registry.
        rfc: { section: 'RFC 2181 section 5.4.1', verdict: 'refused' },
        registry: [ns(apex, `ns.${apex}`), a(`ns.${apex}`, address(0))],
        servers: [
          { address: address(0), listsServers: true, zones: [...own, txt(owner, values.right)] },
          { address: address(1), listsServers: true, zones: own },
        ],
      });
    },
  },
  'the zone names hosts without an address': {
    make: (making) => mismatch(named(making, `gone.${making.host(9)}`)),
  },
  'the zone names hosts that lost their final dot': {
    make: (making) => mismatch(named(making, `${making.host(0)}.${making.apex}`)),
  },
  'the registry lacks the address of a host inside the zone': {
    make({ apex, owner, values, address }) {
      const host = `ns.${apex}`;
      const zone = [soa(apex), ns(apex, host), a(host, address(0)), txt(owner, values.right)];
      return withFinding('server_failure', {
        registry: [ns(apex, host)],
        servers: [{ address: address(0), listsServers: true, zones: zone }],
      });
    },
  },
  'one server does not serve the zone': {
    make(making) {
      const made = oneSide(making, 2);
      const servers = made.servers.map((server, at) => (at === 0 ? { ...server, zones: [] } : server));
      return withFinding('ns_lame', { ...made, servers });
    },
  },
  'no server serves the zone': {
    make(making) {
      const made = oneSide(making, 2);
      return withFinding('ns_lame', { ...made, servers: made.servers.map((server) => ({ ...server, zones: [] })) });
    },
  },
  'one server has another value': {
    make(making) {
      const made = twoSides(making, { parent: [0, 1], own: [0, 1], holds: [0], otherwise: 'other' });
      const finding = making.owner.startsWith('k1') ? 'key_stale' : 'ns_inconsistent';
      return withFinding(finding, { ...made, rfc: { section: 'RFC 1034 section 4.2.2', verdict: 'refused' } });
    },
  },
  'servers that know few types': {
    make: (making) =>
      oneSide(making, making.pick([1, 2]), {
        kind: 'knowsFewTypes',
        otherwise: making.pick(['nxDomain', 'noData', 'refused', 'servfail', 'notImp']),
      }),
  },
  'denials without an SOA record': {
    make(making) {
      const made = twoSides(making, { parent: [0], own: [0], holds: [] });
      const servers = made.servers.map((server) => ({ ...server, fault: { kind: 'deniesWithoutSoa' } as const }));
      return withFinding('not_published', { ...made, servers });
    },
  },
  'the record beside denials without an SOA record': {
    make: (making) => oneSide(making, 2, { kind: 'deniesWithoutSoa' }),
  },
  'all name servers are aliases': {
    make(making) {
      const made = oneSide(making, 2);
      return withFinding('ns_alias', { ...made, registry: made.registry.flatMap(asAlias) });
    },
  },
  'one name server is an alias': {
    make(making) {
      const made = oneSide(making, 2);
      const alias = made.registry.find(({ type }) => type === 'A')?.name;
      return withFinding('ns_alias', {
        ...made,
        registry: made.registry.flatMap((record) => (record.name === alias ? asAlias(record) : [record])),
      });
    },
  },
  'servers that know names in lower case only': {
    make: (making) =>
      oneSide(making, making.pick([1, 2]), {
        kind: 'lowerCaseOnly',
        otherwise: making.pick(['nxDomain', 'noData', 'refused', 'servfail', 'silent']),
      }),
  },
  'servers in lower case only, without the record': {
    make(making) {
      const made = twoSides(making, { parent: [0], own: [0], holds: [] });
      const fault: ServerFault = { kind: 'lowerCaseOnly', otherwise: making.pick(['nxDomain', 'noData']) };
      return withFinding('not_published', { ...made, servers: made.servers.map((server) => ({ ...server, fault })) });
    },
  },
  'servers that know no EDNS, and say so': {
    make: (making) => oneSide(making, making.pick([1, 2]), { kind: 'withoutEdns', otherwise: 'formErr' }),
  },
  'servers that know no EDNS, and say what resolvers do not understand': {
    make: (making) => withFinding('not_resolved', oneSide(making, 1, { kind: 'withoutEdns', otherwise: 'notImp' })),
  },
  'servers that repeat the question in lower case': {
    make: (making) => oneSide(making, 1, { kind: 'repeatsInLowerCase' }),
  },
  'servers that repeat each record': { make: (making) => oneSide(making, 1, { kind: 'repeatsRecords' }) },
  'servers that deny a name beside its records': {
    make: (making) => withFinding('not_published', oneSide(making, 1, { kind: 'deniesItsRecords' })),
  },
  'answers without authority': {
    make: (making) =>
      withFinding('ns_without_authority', oneSide(making, making.pick([1, 2]), { kind: 'noAuthority' })),
  },
  'a denial without authority': {
    make(making) {
      const made = twoSides(making, { parent: [0], own: [0], holds: [] });
      const servers = made.servers.map((server) => ({ ...server, fault: { kind: 'noAuthority' } as const }));
      return withFinding('not_published', { ...made, servers });
    },
  },
  'two answers in turn': {
    make(making) {
      const { owner, values } = making;
      const instead = [txt(owner, values.other)];
      return withFinding('answers_vary', oneSide(making, 1, { kind: 'inTurn', owner, instead }));
    },
  },
  'a denied empty name above the record': {
    of: 'dkim',
    make: (making) => oneSide(making, 2, { kind: 'deniesEmptyNames' }),
  },
  'a denied empty name above another selector': {
    of: 'dkim',
    make(making) {
      const other = { ...making, owner: making.owner.replace(/^[^.]+/, 'default') };
      return withFinding('selector_wrong', oneSide(other, 2, { kind: 'deniesEmptyNames' }));
    },
  },
  'a zone below that only one server delegates': {
    of: 'dkim',
    make(making) {
      const { apex, owner, values, host, address, chances } = making;
      const below = `_domainkey.${apex}`;
      const made = twoSides(making, { parent: [0, 1], own: [0, 1], holds: [] });
      return withFinding('ns_inconsistent', {
        rfc: { section: 'RFC 1034 section 4.2.2', verdict: 'refused' },
        registry: [...made.registry, a(host(2), address(2))],
        servers: [
          ...made.servers.map((server, at) =>
            at === 0 ? { ...server, zones: [...server.zones, ns(below, host(2))] } : server,
          ),
          {
            address: address(2),
            listsServers: chances.once(2),
            zones: [soa(below), ns(below, host(2)), txt(owner, values.right)],
          },
        ],
      });
    },
  },
  'a zone below': {
    of: 'dkim',
    make(making) {
      const { apex, owner, values, host, address } = making;
      const below = `_domainkey.${apex}`;
      const made = twoSides(making, { parent: [0, 1], own: [0, 1], holds: [] });
      const own = [soa(below), ns(below, host(2)), txt(owner, values.right)];
      return {
        registry: [...made.registry, a(host(2), address(2))],
        servers: [
          ...made.servers.map((server) => ({ ...server, zones: [...server.zones, ns(below, host(2))] })),
          { address: address(2), listsServers: true, zones: own },
        ],
      };
    },
  },
};

/** The host becomes a CNAME record to another one with its address. */
function asAlias(record: ZoneRecord): readonly ZoneRecord[] {
  if (record.type !== 'A') return [record];
  const target = `real-${record.name}`;
  return [
    { name: record.name, type: 'CNAME', value: target, ttlSeconds: 600 },
    { ...record, name: target },
  ];
}

const LETTERS = Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at));

/** @param valuesOf the values for a record at this name */
export function faultyZones(
  count: number,
  chances: Chances,
  valuesOf: (of: 'dkim' | 'spf') => Values,
): readonly FaultyZone[] {
  const { pick } = chances;
  const letters = (length: number): string => Array.from({ length }, () => pick(LETTERS)).join('');
  const names = Object.keys(faults);
  return Array.from({ length: count }, (_, at): FaultyZone => {
    // Each fault in turn, because few random ones would leave some out.
    const fault = names[at % names.length] ?? '';
    const { of = pick(['dkim', 'spf'] as const), make } = faults[fault] ?? {};
    if (make === undefined) throw new Error(`no fault ${fault}`);
    const apex = `${letters(3 + chances.below(9))}-${String(at)}.test`;
    const operator = letters(6);
    const made = make({
      apex,
      owner: of === 'dkim' ? `k1._domainkey.${apex}` : `bounce.${apex}`,
      values: valuesOf(of),
      chances,
      pick,
      host: (index) => `${operator}${String(index)}-${String(at)}.hosts.test`,
      address: (index) => `127.64.${String(1 + Math.floor(at / 50))}.${String(1 + (at % 50) * 5 + index)}`,
    });
    return { name: `${String(at)}: ${fault} (${of})`, apex, of, ...made };
  });
}
