import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { valueChunks } from '../../../src/lib/dns/records/value-chunks.ts';
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
import { startPythonJudges } from '../python-judges.ts';
import { relayDatagrams } from '../relay-datagrams.ts';
import { freePort, startNamed } from '../start-named.ts';
import type { Suite, SuiteRun } from '../suite.ts';
import { signedCases, type SignedCase, type SignedZone } from './signed-zones.ts';

const run = promisify(execFile);

const TOP_ADDRESS = '127.65.0.1';
const ADDRESS = '127.65.0.2';
const ALGORITHM = 'ECDSAP256SHA256';
const RESOLVER = 'recursion yes; dnssec-validation yes; servfail-ttl 0; empty-zones-enable no;';

interface Case extends SignedCase {
  readonly apex: string;
}

/** Each case is a zone below `test`, whose key is the only trust anchor of a validating BIND, which
 * dkimpy, pyspf and sendoff ask. */
export const dnssec: Suite = {
  name: 'dnssec',
  title: 'signed zones, validated by BIND for dkimpy and pyspf',
  debian: { bind9: ['named'], 'bind9-utils': ['dnssec-keygen', 'dnssec-signzone', 'dnssec-dsfromkey'] },
  python: true,
  async *run(suite) {
    const { tools, wants } = suite;
    const { privateKey, publicKey } = await generateDkimKeyPair();
    const values = { dkim: dkimValue(publicKey), spf: SPF };
    const cases = signedCases.map((one, at): Case => ({ ...one, apex: `s${String(at)}.test` }));
    const asked = cases.filter(({ name }) => wants(name));
    const port = await freePort();
    const servers = await startServers(suite, port, asked, values);
    const python = startPythonJudges(tools.python);
    try {
      const resolver = resolverAt(port);
      for (const { name, apex, zones: zonesOfCase, of = 'dkim', finding } of asked) {
        const domain = apexOf(apex, zonesOfCase[0]?.at);
        const { records } = await checkRecords(resolver, domain, [recordOf(of, domain, values[of])]);
        const seen = records[0]!;
        const theirs =
          of === 'dkim'
            ? await askDkimpy(python, await signedMessage(domain, privateKey), port)
            : await askPyspf(python, domain, port);
        yield {
          case: name,
          judge: 'BIND and dkimpy or pyspf',
          theirs: theirs.startsWith('pass') ? 'accepted' : 'refused',
          ours: ourVerdict(seen, finding === undefined ? [] : [finding]),
          detail: `${theirs}\n${seen.status}: ${seen.findings.map(({ fix }) => fix).join('\n')}`,
        };
      }
    } finally {
      await python.close();
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
};

const apexOf = (apex: string, at: SignedZone['at']): string =>
  at === undefined ? apex : at === 'below' ? `below.${apex}` : `beside-${apex}`;

interface ZoneFile {
  readonly apex: string;
  readonly lines: readonly string[];
  readonly signed?: SignedZone['signed'];
  readonly ds?: SignedZone['ds'];
}

/** The servers of `test` and of the cases, and the resolver. */
async function startServers(
  suite: SuiteRun,
  port: number,
  cases: readonly Case[],
  values: Readonly<Record<'dkim' | 'spf', string>>,
): Promise<readonly { stop(): Promise<void> }[]> {
  const quoted = (value: string): string =>
    valueChunks(value)
      .map((chunk) => `"${chunk}"`)
      .join(' ');
  const zones = cases.flatMap((one) =>
    one.zones.map((zone): ZoneFile => {
      const filled = zone.lines.map((line) =>
        line.replace('{zone}', one.apex).replace(/\{(dkim|spf)\}/, (_, of: 'dkim' | 'spf') => quoted(values[of])),
      );
      return { ...zone, apex: apexOf(one.apex, zone.at), lines: filled };
    }),
  );
  // The zones below first, because the ones above have their DS records.
  const delegations = new Map<string, readonly string[]>();
  const sections: string[] = [];
  for (const zone of [...zones].sort((one, other) => other.apex.length - one.apex.length)) {
    const { file, ds } = await zoneFile(suite, zone, delegations, ADDRESS);
    sections.push(`zone "${zone.apex}" { type primary; file "${file}"; };`);
    delegations.set(zone.apex, [`${zone.apex}. NS ns.${zone.apex}.`, `ns.${zone.apex}. A ${ADDRESS}`, ...ds]);
  }
  const top = await zoneFile(
    suite,
    { apex: 'test', lines: [], signed: {}, ds: ({ own }) => [own] },
    delegations,
    TOP_ADDRESS,
  );
  const anchor = top.ds[0]?.replace(/^.* DS (\d+ \d+ \d+) (.*)$/, 'test. static-ds $1 "$2";') ?? '';
  const authoritative = 'recursion no; dnssec-validation no;';
  const bind = (at: number, options: string, own: readonly string[], zone?: string) =>
    startNamed(suite, {
      ...{ port: at, options: `check-integrity no; ${options}`, sections: own, recursionDesired: true, timeoutMs: 500 },
      ...(zone !== undefined && { zone }),
    });
  const [topPort, zonesPort] = [await freePort(), await freePort()];
  return [
    await bind(topPort, authoritative, [`zone "test" { type primary; file "${top.file}"; };`]),
    await relayDatagrams({ host: TOP_ADDRESS, port }, topPort),
    await bind(zonesPort, authoritative, sections, zones[0]?.apex),
    await relayDatagrams({ host: ADDRESS, port }, zonesPort),
    await bind(port, RESOLVER, [
      `trust-anchors { ${anchor} };`,
      `zone "test" { type static-stub; server-addresses { ${TOP_ADDRESS}; }; };`,
    ]),
  ];
}

/** Writes and signs a zone. */
async function zoneFile(
  { folder, tools }: SuiteRun,
  { apex, lines, signed, ds }: ZoneFile,
  delegations: Map<string, readonly string[]>,
  address: string,
): Promise<{ readonly file: string; readonly ds: readonly string[] }> {
  const keys = join(folder, 'keys');
  await mkdir(keys, { recursive: true });
  const tool = (name: string, ...options: readonly string[]): Promise<string> =>
    run(tools.command(name), options, { env: tools.environment, cwd: keys }).then(({ stdout }) => stdout.trim());
  const isDirectlyBelow = (name: string): boolean =>
    name.endsWith(`.${apex}`) && !name.slice(0, -apex.length - 1).includes('.');
  const file = join(folder, `${apex}.zone`);
  const newKey = (): Promise<string> => tool('dnssec-keygen', '-q', '-a', ALGORITHM, '-f', 'KSK', apex);
  const own = signed !== undefined || ds !== undefined ? await newKey() : '';
  const texts = [
    '$TTL 60',
    `$ORIGIN ${apex}.`,
    '@ SOA ns hostmaster 1 60 60 600 60',
    '@ NS ns',
    `ns A ${address}`,
    ...lines,
    ...[...delegations].flatMap(([name, records]) => (isDirectlyBelow(name) ? records : [])),
    ...(signed ? [`$INCLUDE ${join(keys, `${own}.key`)}`] : []),
  ];
  await writeFile(file, `${texts.join('\n')}\n`);
  if (signed) {
    const options = ['-z', '-P', '-x', '-O', 'full', ...(signed.options ?? []), '-o', apex, '-f', `${file}.signed`];
    await tool('dnssec-signzone', ...options, file, own);
    const all = (await readFile(`${file}.signed`, 'utf8')).split('\n').filter((line) => !line.startsWith(';'));
    await writeFile(file, `${(signed.change?.(all) ?? all).join('\n')}\n`);
  }
  const digest = async (key: string): Promise<string> =>
    (await tool('dnssec-dsfromkey', '-2', key)).replace('IN DS', 'DS');
  return { file, ds: ds ? ds({ own: await digest(own), other: await digest(await newKey()) }) : [] };
}
