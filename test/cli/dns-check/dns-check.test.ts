import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Answer, AUTHORITATIVE_ANSWER, RECURSION_AVAILABLE } from 'dns-packet';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { dnsCheck, type DnsCheckOptions } from '../../../src/cli/dns-check/dns-check.ts';
import type { DnsCheckResult } from '../../../src/cli/dns-check/show-domain-check.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { sendJson, startAnswerServer } from '../../support/answer-server.ts';
import { startDnsServer, type DnsServerOptions } from '../../../src/dev/world/dns-server.ts';
import { toAnswer } from '../../../src/dev/world/zone-answer.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { packagedCommand } from '../../support/packaged-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recordsOf } from '../../lib/dns/collected.ts';
import { delegation, startNameServers, zoneAt, type NameServers } from '../../lib/dns/name-servers.ts';

const program = await packagedCommand();
const { dkim, spf, returnPath } = recordsOf('acme.test');
const RECORDS = [dkim, spf, returnPath];

const published = ({ name, type, value }: ExpectedRecord): ZoneRecord => ({ name, type, value, ttlSeconds: 60 });

let world: NameServers;
let folder: string;

beforeEach(async () => {
  world = await startNameServers(delegation('acme.test', '127.0.0.3'));
  folder = temporaryFolder();
});

const zone = (...records: readonly ExpectedRecord[]): readonly ZoneRecord[] => [
  ...zoneAt('acme.test', '127.0.0.3'),
  ...records.map(published),
];
const file = (content: unknown): string => {
  const path = join(folder, 'records.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const ourDns = (): NodeJS.ProcessEnv => ({ DNS_RESOLVERS: world.recursive.address, DNS_PORT: String(world.port) });

interface Run {
  readonly code: number;
  readonly out: string;
}

/** @param environment instead of the DNS of this test */
async function check(
  options: DnsCheckOptions,
  {
    environment = ourDns(),
    stdin = '',
    domain = 'acme.test',
  }: { environment?: NodeJS.ProcessEnv; stdin?: string; domain?: string } = {},
): Promise<Run> {
  let out = '';
  const code = await dnsCheck(domain, options, {
    environment,
    stdin: Readable.from([stdin]),
    write: (text) => {
      out += text;
    },
    dataDefault: join(folder, 'no-deployment'),
  });
  return { code, out };
}

const checkJson = async (...args: Parameters<typeof check>): Promise<DnsCheckResult & { code: number }> => {
  const [options, ...rest] = args;
  const { code, out } = await check({ ...options, json: true }, ...rest);
  return { ...(JSON.parse(out) as DnsCheckResult), code };
};

/** The error's message and cause. */
const refusalOf = (run: Promise<Run>): Promise<string> =>
  run.then(
    () => 'no refusal',
    (error: unknown) => (error instanceof Error ? `${error.message} ${JSON.stringify(error.cause)}` : ''),
  );

/** A server that answers each path with its JSON, and 404 to others. */
async function startHttp(answers: Readonly<Record<string, unknown>>): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const { baseUrl: url, close } = await startAnswerServer(({ path, headers }, response) => {
    asked.push(`${path} ${headers.authorization ?? ''}`);
    if (path in answers) sendJson(response, 200, answers[path]);
    else sendJson(response, 404, { code: 'not_found', detail: 'There is nothing here.' });
  });
  onTestFinished(close);
  return { url, asked };
}

async function startDns(options: DnsServerOptions) {
  const dns = await startDnsServer(options);
  onTestFinished(() => dns.stop());
  return dns;
}

describe('the verdict', () => {
  test('exits 0 when all required records are published, even if a recommended one is missing', async () => {
    await world.add('127.0.0.3', zone(dkim, spf));
    const checked = await checkJson({ records: file(RECORDS) });
    expect(checked).toMatchObject({
      code: 0,
      domain: 'acme.test',
      zone: 'acme.test',
      verified: true,
      conclusive: true,
    });
    const asked = ['ns1.acme.test (127.0.0.3)'];
    expect(checked.records).toMatchObject([
      { purpose: 'dkim', required: true, status: 'found', found: [dkim.value], asked },
      { purpose: 'spf', required: true, status: 'found', found: [spf.value], asked },
      { purpose: 'return_path', required: false, status: 'missing', found: [], asked },
    ]);
    const { out } = await check({ records: file(RECORDS) });
    expect(out).toContain('MISSING  return_path, recommended');
    expect(out).toContain('All required records are published: 2 of 2 required records found.');
  });

  test('exits 1 for a doubled host, and prints where the record is and the fix', async () => {
    await world.add('127.0.0.3', zone({ ...dkim, name: `${dkim.name}.acme.test` }, spf));
    const checked = await checkJson({ records: file(RECORDS) });
    expect(checked).toMatchObject({ code: 1, verified: false, conclusive: true });
    const finding = checked.records[0]?.findings[0];
    expect(finding).toMatchObject({ code: 'host_doubled', name: 'k1._domainkey.acme.test.acme.test' });
    expect(finding?.fix).toContain('k1._domainkey');

    const { code, out } = await check({ records: file(RECORDS) });
    expect(code).toBe(1);
    expect(out).toContain('k1._domainkey.acme.test.acme.test');
    expect(out).toContain(finding?.fix);
    expect(out).toContain('Not all required records are published: 1 of 2 required records found.');
  });

  test('exits 1 and prints Inconclusive when the name server fails', async () => {
    await world.script('127.0.0.3', ({ questions = [] }) => ({ flags: 2, questions }));
    const checked = await checkJson({ records: file(RECORDS) });
    expect(checked).toMatchObject({ code: 1, verified: false, conclusive: false });
    expect(checked.records.map(({ status }) => status)).toEqual(['inconclusive', 'inconclusive', 'inconclusive']);
    expect((await check({ records: file(RECORDS) })).out).toMatch(/^Inconclusive: 0 of 2/m);
  });

  test('escapes control characters from the zone', async () => {
    await world.add('127.0.0.3', zone({ ...dkim, value: 'v=DKIM1; p=\u001B[2J\u009Bevil\u202E' }, spf));
    const { out } = await check({ records: file(RECORDS) });
    expect(out).toContain('\\u{1b}[2J\\u{9b}evil\\u{202e}');
    expect(out.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('the source of the expected records', () => {
  beforeEach(() => world.add('127.0.0.3', zone(dkim, spf)));

  test('reads a file with the array, a domain of the provider or an onboarding', async () => {
    for (const content of [
      RECORDS,
      { id: 'dom_1', name: 'acme.test', records: RECORDS },
      { onboarding: { records: RECORDS } },
    ])
      expect(await checkJson({ records: file(content) })).toMatchObject({ code: 0, verified: true });
  });

  test('reads stdin for -, and takes a domain with capitals and a final dot', async () => {
    const checked = await checkJson({ records: '-' }, { stdin: JSON.stringify(RECORDS), domain: 'ACME.test.' });
    expect(checked).toMatchObject({ code: 0, domain: 'acme.test' });
  });

  test('reads the onboarding of a tenant from the API of SENDOFF_URL', async () => {
    const view = { onboarding: { domain: 'acme.test', stage: 'awaitingDomain', records: RECORDS } };
    const { url, asked } = await startHttp({ '/onboardings/acme': view });
    const environment = { ...ourDns(), SENDOFF_URL: url, SENDOFF_API_TOKEN: 'token' };
    expect(await checkJson({ tenant: 'acme' }, { environment })).toMatchObject({ code: 0, verified: true });
    expect(asked).toEqual(['/onboardings/acme Bearer token']);
    await expect(check({ tenant: 'acme' }, { environment, domain: 'other.test' })).rejects.toThrow(
      'The onboarding of tenant acme is for acme.test, not for other.test',
    );
    await expect(check({ tenant: 'nobody' }, { environment })).rejects.toThrow('not_found');
  });

  test('checks a tenant of the local deployment in the DNS of that deployment', async () => {
    const view = { onboarding: { domain: 'acme.test', stage: 'awaitingDomain', records: RECORDS } };
    const { url } = await startHttp({ '/onboardings/acme': view });
    // The local deployment serves all zones from one server, on one port.
    const everything = [
      ...zoneAt('test', '127.0.0.1'),
      ...delegation('acme.test', '127.0.0.1'),
      ...zoneAt('acme.test', '127.0.0.1'),
    ];
    const dns = await startDns({ zones: [...everything, published(dkim), published(spf)] });
    writeFileSync(join(folder, 'address.json'), JSON.stringify({ url, apiToken: 'token', dnsServer: dns.address }));
    const checked = await checkJson({ tenant: 'acme', data: folder }, { environment: {} });
    expect(checked).toMatchObject({ code: 0, verified: true });
    expect(checked.records[0]?.asked).toEqual(['ns1.acme.test (127.0.0.1)']);
    expect(await checkJson({ records: file(RECORDS), data: folder }, { environment: {} })).toMatchObject({ code: 0 });
  });

  test("reads the domain from the provider with the tenant's key, which no error repeats", async () => {
    const domain = { id: 'dom_1', name: 'acme.test', status: 'pending', records: RECORDS };
    const { url, asked } = await startHttp({
      '/domains?name=acme.test': {
        data: [{ ...domain, id: 'dom_0', name: 'mail.acme.test' }, domain],
        next_cursor: null,
      },
      '/domains?name=other.test': { data: [], next_cursor: null },
      '/domains/dom_1': domain,
    });
    const environment = { ...ourDns(), EMAIL_PROVIDER_URL: `${url}/`, EMAIL_PROVIDER_API_KEY: 'so_live_key' };
    expect(await checkJson({}, { environment })).toMatchObject({ code: 0, verified: true });
    expect(asked).toEqual(['/domains?name=acme.test Bearer so_live_key', '/domains/dom_1 Bearer so_live_key']);
    const refused = await refusalOf(check({}, { environment, domain: 'other.test' }));
    expect(refused).toContain(`at ${url} has no domain other.test`);
    const failed = await refusalOf(check({}, { environment, domain: 'failing.test' }));
    expect(failed).toContain('The records of failing.test cannot be read from the provider');
    expect(`${refused} ${failed}`).not.toContain('so_live_key');
  });

  test('names the three sources when none is given', async () => {
    const refused = await refusalOf(check({}));
    for (const way of ['--records', '--tenant', 'EMAIL_PROVIDER_API_KEY']) expect(refused).toContain(way);
  });

  test.each([
    ['a file that is not there', () => '/nowhere/records.json', /\/nowhere\/records.json cannot be read/],
    ['text that is not JSON', () => file('{'), /is not JSON/],
    ['an object without records', () => file({ id: 'dom_1' }), /has no records/],
    ['no records', () => file([]), /none of the records is required/],
    ['only advice', () => file([returnPath]), /none of the records is required/],
    [
      'another domain',
      () => file([{ ...dkim, name: 'k1._domainkey.evil.test' }]),
      /records\[0\]\.name must be a name at or below acme\.test; found "k1\._domainkey\.evil\.test"/,
    ],
    [
      'an unknown type',
      () => file([dkim, { ...spf, type: 'SRV' }]),
      /records\[1\]\.type must be one of TXT, MX, CNAME; found "SRV"/,
    ],
    ['several wrong fields', () => file([{ required: 'yes' }]), /purpose[^]*type[^]*name[^]*value[^]*required/],
  ])('refuses %s and says what is wrong', async (_title, records, message) => {
    await expect(check({ records: records() })).rejects.toThrow(message);
  });
});

describe('--server', () => {
  test('asks only these servers, also for a zone that is not delegated yet', async () => {
    const { port } = world;
    await world.add('127.0.0.4', zone(dkim, spf));
    await world.add('127.0.0.5', zone({ ...dkim, name: `${dkim.name}.acme.test` }, spf));
    const records = file(RECORDS);
    const good = await checkJson({ records, server: [`127.0.0.4:${port}`] });
    expect(good).toMatchObject({ code: 0, zone: 'acme.test', verified: true });
    expect(good.records[0]?.asked).toEqual([`127.0.0.4:${port}`]);
    expect(world.top.queries).toEqual([]);

    const doubled = await checkJson({ records, server: [`127.0.0.5:${port}`] });
    expect(doubled.records[0]).toMatchObject({ status: 'missing', host: 'k1._domainkey' });
    expect(doubled.records[0]?.findings.map(({ code }) => code)).toEqual(['host_doubled']);

    const both = await checkJson({ records, server: [`127.0.0.4:${port}`, `127.0.0.5:${port}`] });
    expect(both.verified).toBe(false);
    expect(both.records[0]?.findings.map(({ code }) => code)).toContain('ns_inconsistent');
  });

  test('follows an alias at the same server, and takes a referral as no answer', async () => {
    const alias: ZoneRecord = { name: dkim.name, type: 'CNAME', value: 'k1.keys.acme.test' };
    await world.add('127.0.0.4', [...zone({ ...dkim, name: 'k1.keys.acme.test' }, spf), alias]);
    const records = file(RECORDS);
    expect(await checkJson({ records, server: [`127.0.0.4:${world.port}`] })).toMatchObject({
      code: 0,
      verified: true,
    });
    expect(await checkJson({ records, server: [`127.0.0.2:${world.port}`] })).toMatchObject({
      code: 1,
      conclusive: false,
    });
  });

  test('names a DNAME record above the name that makes the alias', async () => {
    const redirection: Answer = { type: 'DNAME', name: '_domainkey.acme.test', ttl: 60, data: 'keys.acme.test' };
    const there = { ...dkim, name: 'k1.keys.acme.test', value: 'v=DKIM1; p=b3RoZXI=' };
    await world.script('127.0.0.4', ({ questions }) => {
      const name = questions![0]!.name.toLowerCase();
      const answers = name === there.name ? [toAnswer(there)] : name === dkim.name ? [redirection] : [];
      return { flags: AUTHORITATIVE_ANSWER, answers };
    });
    const { records } = await checkJson({ records: file([dkim]), server: [`127.0.0.4:${world.port}`] });
    expect(records[0]!.findings.map(({ fix }) => fix).join()).toContain(
      'It comes from the DNAME record at host _domainkey',
    );
  });

  test('checks CNAME records, in capitals and with a dot at their end as well', async () => {
    const expected = { ...dkim, type: 'CNAME', name: 's1._domainkey.acme.test', value: 'S1.keys.acme.test.' };
    const alias: ZoneRecord = { name: expected.name, type: 'CNAME', value: 's1.keys.acme.test' };
    const records = file([expected]);
    await world.add('127.0.0.4', [...zone({ ...dkim, name: alias.value }), alias]);
    const right = await checkJson({ records, server: [`127.0.0.4:${world.port}`] });
    expect(right).toMatchObject({ code: 0, verified: true, zone: 'acme.test' });
    expect(right.records[0]).toMatchObject({ type: 'CNAME', host: 's1._domainkey', findings: [] });
    await world.add('127.0.0.5', [...zone(), { ...alias, value: 's1.keys.acme.test.acme.test' }]);
    const appended = await checkJson({ records, server: [`127.0.0.5:${world.port}`] });
    expect(appended.records[0]?.findings.map(({ code }) => code)).toEqual(['cname_target_appended']);
  });

  test('accepts the answers of a recursive resolver', async () => {
    await world.script('127.0.0.4', ({ questions = [] }) => {
      const [{ name, type } = { name: '', type: 'TXT' }] = questions;
      const record = RECORDS.find((one) => one.name === name.toLowerCase() && one.type === type && one.type === 'TXT');
      return {
        flags: RECURSION_AVAILABLE,
        answers: record === undefined ? [] : [toAnswer({ ...record, name })],
      };
    });
    const checked = await checkJson({ records: file(RECORDS), server: [`127.0.0.4:${world.port}`] });
    expect(checked).toMatchObject({ code: 0, verified: true });
    expect(checked.records[2]).toMatchObject({ status: 'missing' });
  });

  test('takes a host name with DNS_PORT as its port, and refuses anything else', async () => {
    const records = file(RECORDS);
    const { address } = await lookup('localhost');
    const { port } = await startDns({ zones: zone(dkim, spf), host: address });
    const environment = { DNS_PORT: String(port) };
    const checked = await checkJson({ records, server: ['localhost'] }, { environment });
    expect(checked).toMatchObject({ code: 0, verified: true });
    expect(checked.records[0]?.asked).toEqual([expect.stringMatching(/^localhost \(/)]);
    for (const server of ['', '1.2.3', '127.0.0.1:99999', 'http://ns1.acme.test', 'no-such-host.invalid'])
      await expect(check({ records, server: [server] })).rejects.toThrow(
        'is not a name server: expected HOST, HOST:PORT or [IPV6]:PORT',
      );
  });
});

test('sendoff dns check takes several servers, prints one JSON object last, and exits with the code', async () => {
  await world.add('127.0.0.4', zone(dkim, spf));
  await world.add('127.0.0.5', zone(spf));
  const run = (...servers: readonly string[]): Promise<Run> =>
    new Promise((resolve) => {
      const chosen = servers.flatMap((server) => ['--server', `${server}:${world.port}`]);
      const args = ['dns', 'check', ...chosen, 'acme.test', '--records', file(RECORDS), '--json'];
      const options = { cwd: folder, env: { PATH: process.env['PATH'] } };
      execFile(process.execPath, [program, ...args], options, (error, out) => {
        resolve({ code: Number(error?.code ?? 0), out });
      });
    });
  const good = await run('127.0.0.4');
  expect(good.code).toBe(0);
  expect(JSON.parse(good.out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    domain: 'acme.test',
    verified: true,
  });
  const bad = await run('127.0.0.4', '127.0.0.5');
  expect([bad.code, JSON.parse(bad.out)]).toMatchObject([1, { verified: false }]);
});
