import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import type { RecordCheck } from '../../../src/lib/dns/domain-check.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
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
import { startPythonJudges, type PythonJudges } from '../python-judges.ts';
import { freePort, startNamed } from '../start-named.ts';
import type { Suite, SuiteRun } from '../suite.ts';
import { generatedCases } from './generated-cases.ts';
import { spfOtherRecords, zoneCases, type ZoneCase } from './zone-cases.ts';

const run = promisify(execFile);

const HEADER = ['$TTL 60', '@ SOA ns.{zone}. hostmaster 1 60 60 60 60', '@ NS ns.{zone}.', 'ns A 127.0.0.1'];

interface Keys {
  readonly privateKey: string;
  readonly publicKey: string;
  readonly other: string;
}

interface Zone extends ZoneCase {
  readonly apex: string;
}

/** Each case is a zone below `test`. One BIND serves them all to OpenDKIM, dkimpy, pyspf and sendoff. */
const zonesOf = (name: string, title: string, casesOf: (run: SuiteRun) => readonly ZoneCase[]): Suite => ({
  name,
  title,
  debian: { bind9: ['named'], 'bind9-utils': ['named-checkzone'], 'bind9-dnsutils': ['dig'], opendkim: ['opendkim'] },
  python: true,
  async *run(suite) {
    const { tools, wants } = suite;
    const own = await generateDkimKeyPair();
    const keys = { ...own, other: (await generateDkimKeyPair()).publicKey };
    const all = casesOf(suite).map((zone, at): Zone => ({ ...zone, apex: `z${String(at)}.test` }));
    const asked = all.filter(({ name, of }) => wants(`${of}: ${name}`));
    const bind = await startBind(suite, asked, keys);
    const python = startPythonJudges(tools.python);
    try {
      const resolver = resolverAt(bind.port);
      for (const zone of asked) {
        const seen = await checkWithSendoff(resolver, zone, keys);
        const theirs =
          zone.of === 'alias'
            ? await followWithDig(suite, zone, bind.port)
            : zone.of === 'dkim'
              ? await verifyAtReceivers(suite, python, zone, keys, bind.port)
              : await askPyspf(python, domainOf(zone), bind.port);
        const codes = seen.findings.map(({ code }) => code);
        yield {
          case: `${zone.of}: ${zone.name}`,
          judge: zone.rfc?.section ?? judges[zone.of],
          theirs: zone.rfc?.verdict ?? (theirs.startsWith('pass') ? 'accepted' : 'refused'),
          ours: ourVerdict(seen, zone.anyFinding ?? (zone.finding === undefined ? [] : [zone.finding])),
          detail: `${theirs}\n${seen.status}: ${codes.join(', ') || 'no findings'}`,
        };
      }
    } finally {
      await bind.stop();
      await python.close();
    }
  },
});

export const zones = zonesOf(
  'zones',
  'zones served by BIND: DKIM keys judged by OpenDKIM, SPF records by pyspf',
  () => zoneCases,
);

export const generated = zonesOf(
  'generated',
  'the same for random zones; --seed and --count choose them',
  ({ seed, count }) => generatedCases({ seed, count }),
);

const judges = { dkim: 'OpenDKIM and dkimpy', spf: 'pyspf', alias: 'dig' };

const domainOf = ({ apex, subdomain }: Zone): string => (subdomain === undefined ? apex : `${subdomain}.${apex}`);

async function checkWithSendoff(resolver: AuthoritativeResolver, zone: Zone, keys: Keys): Promise<RecordCheck> {
  const domain = domainOf(zone);
  const alias = {
    purpose: 'dkim',
    type: 'CNAME',
    name: `t1._domainkey.${domain}`,
    value: targetIn(zone),
    required: true,
  } as const;
  const texts = [recordOf('dkim', domain, dkimValue(keys.publicKey)), recordOf('spf', domain, SPF)];
  const { records } = await checkRecords(resolver, domain, zone.of === 'alias' ? [alias] : texts);
  const check = records.find(({ purpose, type }) => (zone.of === 'alias' ? type === 'CNAME' : purpose === zone.of));
  if (check === undefined) throw new Error(`no record of ${domain} was checked`);
  return check;
}

const targetIn = (zone: Zone): string => `t1.keys.${zone.apex}`;

/** A CNAME record is right when it is the only one, with this target, and a question for texts leads over it. */
async function followWithDig({ tools }: SuiteRun, zone: Zone, port: number): Promise<string> {
  const ask = async (type: string): Promise<readonly string[]> => {
    const about = ['@127.0.0.1', '-p', String(port), '+noall', '+answer', `t1._domainkey.${domainOf(zone)}`, type];
    const { stdout } = await run(tools.command('dig'), about, { env: tools.environment });
    const lines = stdout.toLowerCase().trim().split('\n');
    // A DNAME record is returned beside the CNAME record that it makes.
    return lines
      .map((line) => line.split(/\s+/))
      .filter(([name]) => name === `t1._domainkey.${domainOf(zone)}.`)
      .map((line) => line.slice(3).join(' '));
  };
  const [aliases, texts] = [await ask('CNAME'), await ask('TXT')];
  const isRight = [aliases, texts].every((all) => all.length === 1 && all[0] === `cname ${targetIn(zone)}.`);
  return `${isRight ? 'pass' : 'fail'}: ${aliases.join(', ') || 'no CNAME record'}; ${texts.join(', ')}`;
}

/** A key is right when both verifiers accept it. */
async function verifyAtReceivers(
  { folder, tools }: SuiteRun,
  python: PythonJudges,
  { apex }: Zone,
  { privateKey }: Keys,
  port: number,
): Promise<string> {
  const file = join(folder, 'message.eml');
  const resolver = join(folder, 'unbound.conf');
  const configuration = join(folder, 'opendkim.conf');
  const signed = await signedMessage(apex, privateKey);
  const dkimpy = await askDkimpy(python, signed, port);
  await writeFile(file, signed);
  await writeFile(
    resolver,
    `server:\n  do-not-query-localhost: no\n  local-zone: "test." nodefault\nstub-zone:\n  name: "test"\n  stub-addr: 127.0.0.1@${String(port)}\n`,
  );
  await writeFile(configuration, `Mode v\nSyslog no\nResolverConfiguration ${resolver}\n`);
  const { stdout, stderr } = await run(tools.command('opendkim'), ['-x', configuration, '-t', file, '-vvv'], {
    env: tools.environment,
  }).catch((error: unknown) => error as { stdout: string; stderr: string });
  const output = `${stdout}${stderr}`.trim();
  const passes = /verification \([^)]*\) succeeded/.test(output) && dkimpy === 'pass';
  return `${passes ? 'pass' : 'fail'}: dkimpy ${dkimpy}; OpenDKIM ${output}`;
}

interface Bind {
  readonly port: number;
  stop(): Promise<void>;
}

async function startBind(suite: SuiteRun, all: readonly Zone[], keys: Keys): Promise<Bind> {
  const { folder, tools } = suite;
  const port = await freePort();
  const top: readonly string[] = [
    ...HEADER,
    'ns.test. A 127.0.0.1',
    ...all.flatMap(({ apex }) => [`${apex}. NS ns.${apex}.`, `ns.${apex}. A 127.0.0.1`]),
  ];
  const files = [{ apex: 'test', text: fill(top.join('\n'), 'test', keys) }, ...all.map((zone) => fileOf(zone, keys))];
  const sections: string[] = [];
  for (const { apex, text } of files) {
    const file = join(folder, `${apex}.zone`);
    await writeFile(file, `${text}\n`);
    try {
      await run(tools.command('named-checkzone'), ['-i', 'none', apex, file], { env: tools.environment });
    } catch (error) {
      throw new Error(`named-checkzone refuses ${apex}:\n${text}`, { cause: error });
    }
    sections.push(`zone "${apex}" { type primary; file "${file}"; };`);
  }
  const options = 'recursion no; dnssec-validation no; check-spf ignore; check-names primary ignore;';
  return { port, ...(await startNamed(suite, { port, options, sections, recursionDesired: false, timeoutMs: 200 })) };
}

function fileOf(zone: Zone, keys: Keys): { apex: string; text: string } {
  const name = zone.of === 'dkim' ? 'k1._domainkey' : 'bounce';
  const lines = [
    ...HEADER,
    ...(zone.made === undefined
      ? []
      : [`${zone.made.host} TXT ${quoted(escaped(zone.made.value(rightValue(zone, keys))))}`]),
    ...(zone.texts ?? []).map((text) => `${name} TXT ${quoted(fill(text, zone.apex, keys))}`),
    ...(zone.lines ?? []).map((line) =>
      // In a line, a value becomes the strings of a TXT record.
      line.replace(/\{(?:dkim|dkim-other|spf)\}/g, (value) => quoted(fill(value, zone.apex, keys))),
    ),
    ...(zone.of === 'spf' ? spfOtherRecords : []),
  ];
  return { apex: zone.apex, text: lines.map((line) => fill(line, zone.apex, keys)).join('\n') };
}

const rightValue = ({ of }: Zone, keys: Keys): string => (of === 'dkim' ? dkimValue(keys.publicKey) : SPF);

/** As in a zone file: bytes outside of ASCII by number. */
const escaped = (text: string): string =>
  Array.from(Buffer.from(text), (byte) =>
    byte < 32 || byte > 126 ? `\\${String(byte).padStart(3, '0')}` : String.fromCharCode(byte).replace(/["\\]/, '\\$&'),
  ).join('');

/** The strings of a TXT record in a zone file: at most 255 bytes each, where an escape is one byte. */
function quoted(text: string): string {
  return text
    .split('\n')
    .flatMap((part) => {
      const bytes = part.match(/\\\d{3}|\\.|[^\\]/gs) ?? [];
      const strings: string[] = [];
      for (let at = 0; at < bytes.length; at += 255) strings.push(bytes.slice(at, at + 255).join(''));
      return strings.length > 0 ? strings : [''];
    })
    .map((string) => `"${string}"`)
    .join(' ');
}

function fill(text: string, zone: string, keys: Keys): string {
  const { publicKey: key, other } = keys;
  const dkim = dkimValue(key);
  const half = key.length >> 1;
  const inside = (between: string): string => `${key.slice(0, half)}${between}${key.slice(half)}`;
  const values: Readonly<Record<string, string>> = {
    zone,
    dkim,
    key,
    other,
    spf: SPF,
    nine: Array.from({ length: 9 }, () => `a:h0.${zone}`).join(' '),
    'dkim-other': dkim.replace(key, other),
    'dkim-255': dkim.slice(0, 255),
    'dkim-cut': dkim.slice(0, -1),
    'dkim-back': `${dkim.slice(255)}\n${dkim.slice(0, 255)}`,
    'key-with-space': inside(' '),
    'key-with-tab': inside('\\009'),
    'key-zero-width': inside('\\226\\128\\139'),
    'key-unpadded': key.replace(/=+$/, ''),
    'key-url': key.replaceAll('+', '-').replaceAll('/', '_'),
  };
  return text.replace(/(?<!%)\{([a-z0-9-]+)\}/g, (all, name: string) => values[name] ?? all);
}
