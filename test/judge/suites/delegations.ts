import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import type { RecordCheck } from '../../../src/lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { askServer } from '../../../src/lib/dns/resolver/ask-server.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { signMessage } from '../../../src/email-service/delivery/sign-message.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { startFaultyNameServer, type FaultyNameServer } from '../faulty-name-server.ts';
import { startPythonJudges, type PythonJudges } from '../python-judges.ts';
import { startNamed } from '../start-named.ts';
import type { Suite, SuiteRun } from '../suite.ts';
import { faultyZones, seededRandom, type FaultyZone, type Values } from './faulty-zones.ts';
import { freePort } from './zones.ts';

const SENDS_FROM = '192.0.2.1';
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
      dkim: { right: `v=DKIM1; k=rsa; p=${key.publicKey}`, other: `v=DKIM1; k=rsa; p=${other.publicKey}` },
      spf: { right: `v=spf1 ip4:${SENDS_FROM} -all`, other: 'v=spf1 ip4:198.51.100.1 -all' },
    };
    const random = seededRandom(Number(process.env['SENDOFF_JUDGE_SEED'] ?? 1));
    const all = faultyZones(Number(process.env['SENDOFF_JUDGE_ZONES'] ?? 72), random, (of) => right[of]);
    const asked = all.filter(({ name }) => suite.wants(name));
    const port = await freePort();
    const servers = await startServers(port, asked);
    const bind = await startResolver(suite, port);
    const python = startPythonJudges(suite.tools.python);
    try {
      const resolver = createAuthoritativeResolver({
        resolvers: [`127.0.0.1:${String(port)}`],
        port,
        mayAsk: () => true,
      });
      for (const zone of asked) {
        const seen = await checkWithSendoff(
          (expected) => checkRecords(resolver, zone.apex, [expected]),
          zone,
          right[zone.of].right,
        );
        const theirs = await judge(python, zone, key.privateKey, port);
        const codes = seen.findings.map(({ code }) => code);
        const unnamed = zone.finding === undefined || codes.includes(zone.finding) ? '' : `, not as ${zone.finding}`;
        yield {
          case: zone.name,
          judge: zone.rfc?.section ?? 'BIND and dkimpy or pyspf',
          theirs: zone.rfc?.verdict ?? (theirs.every((verdict) => verdict.startsWith('pass')) ? 'accepted' : 'refused'),
          ours: `${seen.status === 'found' ? 'accepted' : 'refused'}${unnamed}`,
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

const expectedOf = ({ of, apex }: FaultyZone, value: string): ExpectedRecord => ({
  purpose: of,
  type: 'TXT',
  name: of === 'dkim' ? `k1._domainkey.${apex}` : `bounce.${apex}`,
  value,
  required: true,
});

async function checkWithSendoff(
  check: (expected: ExpectedRecord) => ReturnType<typeof checkRecords>,
  zone: FaultyZone,
  value: string,
): Promise<RecordCheck> {
  const { records } = await check(expectedOf(zone, value));
  const [record] = records;
  if (record === undefined) throw new Error(`no record of ${zone.apex} was checked`);
  return record;
}

/** Asks for the name servers and their addresses after the first question, as resolvers come to know them sooner or later. */
async function judge(
  python: PythonJudges,
  { apex, of }: FaultyZone,
  privateKey: string,
  port: number,
): Promise<readonly string[]> {
  const message = `From: a@${apex}\r\nTo: b@inbox.test\r\nSubject: s\r\nDate: ${new Date().toUTCString()}\r\n\r\nIt works.\r\n`;
  const signed = await signMessage(message, { domain: apex, selector: 'k1', privateKey }, new Date());
  const ask = (): Promise<string> =>
    of === 'dkim'
      ? python.ask<string>('dkim_check', { message: Buffer.from(signed).toString('base64'), port })
      : python.ask<string>('spf_check', {
          address: SENDS_FROM,
          sender: `x@bounce.${apex}`,
          helo: 'mail.sendoff.test',
          port,
        });
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
    if (verdicts.length % 2 === 0) await resolve(of === 'dkim' ? `k1._domainkey.${apex}` : `bounce.${apex}`, 'TXT');
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

/** A BIND that resolves names, asking all name servers at the same port. */
async function startResolver(
  { folder, tools, signal }: SuiteRun,
  port: number,
): Promise<{ stop: () => Promise<void> }> {
  const configuration = join(folder, 'resolver.conf');
  await writeFile(
    configuration,
    [
      `options { directory "${folder}"; port ${String(port)}; listen-on port ${String(port)} { 127.0.0.1; };`,
      '  listen-on-v6 { none; }; recursion yes; pid-file none; session-keyfile none; max-cache-size 50M;',
      '  dnssec-validation no; empty-zones-enable no; servfail-ttl 0; minimal-responses no; };',
      'controls {};',
      `zone "test" { type static-stub; server-addresses { ${TOP_ADDRESS}; }; };`,
    ].join('\n'),
  );
  return startNamed({ tools, signal }, { configuration, port, recursionDesired: true, timeoutMs: 500 });
}
