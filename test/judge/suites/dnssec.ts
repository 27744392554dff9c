import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { signMessage } from '../../../src/email-service/delivery/sign-message.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { valueChunks } from '../../../src/lib/dns/records/value-chunks.ts';
import { startPythonJudges } from '../python-judges.ts';
import { relayDatagrams } from '../relay-datagrams.ts';
import { startNamed } from '../start-named.ts';
import type { Suite, SuiteRun } from '../suite.ts';
import { signedCases, type SignedCase, type SignedZone } from './signed-zones.ts';
import { freePort } from './zones.ts';

const run = promisify(execFile);

const SENDS_FROM = '192.0.2.1';
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
    const values = { dkim: `v=DKIM1; k=rsa; p=${publicKey}`, spf: `v=spf1 ip4:${SENDS_FROM} -all` };
    const cases = signedCases.map((one, at): Case => ({ ...one, apex: `s${String(at)}.test` }));
    const asked = cases.filter(({ name }) => wants(name));
    const port = await freePort();
    const servers = await startServers(suite, port, asked, values);
    const python = startPythonJudges(tools.python);
    try {
      const resolver = createAuthoritativeResolver({
        resolvers: [`127.0.0.1:${String(port)}`],
        port,
        mayAsk: () => true,
      });
      for (const {
        name,
        apex,
        zones: [first],
        of = 'dkim',
        finding,
      } of asked) {
        const domain = apexOf(apex, first?.at);
        const host = of === 'dkim' ? 'k1._domainkey' : 'bounce';
        const expected: ExpectedRecord = {
          purpose: of,
          type: 'TXT',
          name: `${host}.${domain}`,
          value: values[of],
          required: true,
        };
        const { records } = await checkRecords(resolver, domain, [expected]);
        const [seen] = records;
        const message = `From: a@${domain}\r\nSubject: s\r\nDate: ${new Date().toUTCString()}\r\n\r\nIt works.\r\n`;
        const signed = await signMessage(message, { domain, selector: 'k1', privateKey }, new Date());
        const theirs =
          of === 'dkim'
            ? await python.ask<string>('dkim_check', { message: Buffer.from(signed).toString('base64'), port })
            : await python.ask<string>('spf_check', {
                address: SENDS_FROM,
                sender: `x@bounce.${domain}`,
                helo: 'mail.sendoff.test',
                port,
              });
        const findings = seen?.findings ?? [];
        const unnamed =
          finding === undefined || findings.some(({ code }) => code === finding) ? '' : `, not as ${finding}`;
        yield {
          case: name,
          judge: 'BIND and dkimpy or pyspf',
          theirs: theirs.startsWith('pass') ? 'accepted' : 'refused',
          ours: `${seen?.status === 'found' ? 'accepted' : 'refused'}${unnamed}`,
          detail: `${theirs}\n${seen?.status ?? ''}: ${findings.map(({ fix }) => fix).join('\n')}`,
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
  const [topPort, zonesPort] = [await freePort(), await freePort()];
  return [
    await startBind(suite, topPort, authoritative, [`zone "test" { type primary; file "${top.file}"; };`]),
    await relayDatagrams({ host: TOP_ADDRESS, port }, topPort),
    await startBind(suite, zonesPort, authoritative, sections, zones[0]?.apex),
    await relayDatagrams({ host: ADDRESS, port }, zonesPort),
    await startBind(suite, port, RESOLVER, [
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

async function startBind(
  { folder, tools, signal }: SuiteRun,
  port: number,
  options: string,
  sections: readonly string[],
  zone?: string,
): Promise<{ stop(): Promise<void> }> {
  const own = join(folder, String(port));
  await mkdir(own);
  const configuration = join(own, 'named.conf');
  await writeFile(
    configuration,
    [
      `options { directory "${own}"; port ${String(port)}; listen-on port ${String(port)} { 127.0.0.1; };`,
      `  listen-on-v6 { none; }; pid-file none; session-keyfile none; check-integrity no; ${options} };`,
      'controls {};',
      ...sections,
    ].join('\n'),
  );
  const named = { configuration, port, recursionDesired: true, timeoutMs: 500, ...(zone !== undefined && { zone }) };
  return startNamed({ tools, signal }, named);
}
