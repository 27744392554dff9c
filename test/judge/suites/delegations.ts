import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import { askServer } from '../../../src/lib/dns/resolver/ask-server.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { startFaultyNameServer, type FaultyNameServer } from '../faulty-name-server.ts';
import {
  askDkimpy,
  askPyspf,
  dkimValue,
  ourVerdict,
  recordOf,
  resolverAt,
  signedMessage,
  SPF,
} from '../judge-record.ts';
import { seededChances } from '../../support/seeded-chances.ts';
import { startPythonJudges, type PythonJudges } from '../python-judges.ts';
import { freePort, startNamed } from '../start-named.ts';
import type { Suite } from '../suite.ts';
import { faultyZones, type FaultyZone, type Values } from './faulty-zones.ts';

const TOP_ADDRESS = '127.64.0.2';

/** Enough for BIND to ask each of the servers that it knows. */
const TIMES = 14;

/**
 * Random zones, each with a fault of its delegation or its servers. BIND resolves them for dkimpy and pyspf: a record is right
 * when each of several questions of theirs finds it. `SENDOFF_JUDGE_ZONES=100 SENDOFF_JUDGE_SEED=7` makes other zones.
 */
export const delegations: Suite = {
  name: 'delegations',
  title: 'random zones with faulty delegations and name servers, resolved by BIND for dkimpy and pyspf',
  debian: { bind9: ['named'] },
  python: true,
  async *run(suite) {
    const key = await generateDkimKeyPair();
    const other = await generateDkimKeyPair();
    const right: Readonly<Record<'dkim' | 'spf', Values>> = {
      dkim: { right: dkimValue(key.publicKey), other: dkimValue(other.publicKey) },
      spf: { right: SPF, other: 'v=spf1 ip4:198.51.100.1 -all' },
    };
    const chances = seededChances(Number(process.env['SENDOFF_JUDGE_SEED'] ?? 1));
    const all = faultyZones(Number(process.env['SENDOFF_JUDGE_ZONES'] ?? 72), chances, (of) => right[of]);
    const asked = all.filter(({ name }) => suite.wants(name));
    const port = await freePort();
    const servers = await startServers(port, asked);
    // A BIND that resolves names, asking all name servers at the same port.
    const bind = await startNamed(suite, {
      ...{ port, recursionDesired: true, timeoutMs: 500 },
      options:
        'recursion yes; max-cache-size 50M; dnssec-validation no; empty-zones-enable no; servfail-ttl 0; minimal-responses no;',
      sections: [`zone "test" { type static-stub; server-addresses { ${TOP_ADDRESS}; }; };`],
    });
    const python = startPythonJudges(suite.tools.python);
    try {
      const resolver = resolverAt(port);
      for (const zone of asked) {
        const expected = recordOf(zone.of, zone.apex, right[zone.of].right);
        const seen = (await checkRecords(resolver, zone.apex, [expected])).records[0]!;
        const theirs = await judge(python, zone, key.privateKey, port);
        yield {
          case: zone.name,
          judge: zone.rfc?.section ?? 'BIND and dkimpy or pyspf',
          theirs: zone.rfc?.verdict ?? (theirs.every((verdict) => verdict.startsWith('pass')) ? 'accepted' : 'refused'),
          ours: ourVerdict(seen, zone.finding === undefined ? [] : [zone.finding]),
          detail: `${theirs.join('; ')}\n${seen.status}: ${seen.findings.map(({ fix }) => fix).join('\n') || 'no findings'}`,
        };
      }
    } finally {
      await python.close();
      await bind.stop();
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
};

/** Asks for the name servers and their addresses after the first question, as resolvers come to know them sooner or later. */
async function judge(
  python: PythonJudges,
  { apex, of }: FaultyZone,
  privateKey: string,
  port: number,
): Promise<readonly string[]> {
  const message = await signedMessage(apex, privateKey);
  const ask = (): Promise<string> => (of === 'dkim' ? askDkimpy(python, message, port) : askPyspf(python, apex, port));
  const resolve = (name: string, type: 'NS' | 'A' | 'TXT'): Promise<unknown> =>
    askServer({ address: '127.0.0.1', port }, name, type, {
      recursionDesired: true,
      inLowerCase: 'once',
      timeoutMs: 5_000,
    });
  const verdicts = [await ask()];
  await resolve(apex, 'NS');
  await resolve(`ns.${apex}`, 'A');
  while (verdicts.length < TIMES) {
    verdicts.push(await ask());
    // A server with two answers in turn would give a judge that asks twice always the same one.
    if (verdicts.length % 2 === 0) await resolve(recordOf(of, apex, '').name, 'TXT');
  }
  return verdicts;
}

/** The servers of the zones, and one for `test` with the registry's records of all. */
async function startServers(port: number, zones: readonly FaultyZone[]): Promise<readonly FaultyNameServer[]> {
  const top = [
    { name: 'test', type: 'SOA', value: 'ns.test hostmaster.test 1 60 60 600 60' },
    { name: 'test', type: 'NS', value: 'ns.test' },
    { name: 'ns.test', type: 'A', value: TOP_ADDRESS },
    ...zones.flatMap(({ registry }) => registry),
  ] as const;
  const started = [await startFaultyNameServer({ host: TOP_ADDRESS, port }, top)];
  for (const { address: host, zones: served, ...options } of zones.flatMap(({ servers }) => servers))
    started.push(await startFaultyNameServer({ host, port }, served, options));
  return started;
}
