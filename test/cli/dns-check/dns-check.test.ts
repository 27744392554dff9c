import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { RECURSION_AVAILABLE } from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CheckedDomain } from '../../../src/cli/dns-check/checked-domain.ts';
import { dnsCheck, type DnsCheckOptions } from '../../../src/cli/dns-check/dns-check.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { startDnsServer } from '../../../src/dev/world/dns-server.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { delegation, startNameServers, zoneAt, type NameServers } from '../../lib/dns/name-servers.ts';

const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAsJ0q';
const dkim: ExpectedRecord = {
  purpose: 'dkim',
  type: 'TXT',
  name: 'k1._domainkey.acme.test',
  value: `v=DKIM1; k=rsa; p=${KEY}`,
  required: true,
};
const spf: ExpectedRecord = {
  purpose: 'spf',
  type: 'TXT',
  name: 'bounce.acme.test',
  value: 'v=spf1 ip4:203.0.113.5 -all',
  required: true,
};
const returnPath: ExpectedRecord = {
  purpose: 'return_path',
  type: 'MX',
  name: 'bounce.acme.test',
  value: '10 mail.service.test',
  required: false,
};
const RECORDS = [dkim, spf, returnPath];

const published = ({ name, type, value }: ExpectedRecord): ZoneRecord => ({ name, type, value, ttlSeconds: 60 });

let world: NameServers;
let folder: string;
const ends: (() => Promise<void>)[] = [];

beforeEach(async () => {
  world = await startNameServers(delegation('acme.test', '127.0.0.3'));
  folder = mkdtempSync(join(tmpdir(), 'dns-check-'));
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await world.stop();
  rmSync(folder, { recursive: true });
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

/** @param environment beside the DNS of this test */
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
    dataDefault: join(folder, 'no-set-up'),
  });
  return { code, out };
}

const checkJson = async (...args: Parameters<typeof check>): Promise<CheckedDomain & { code: number }> => {
  const [options, ...rest] = args;
  const { code, out } = await check({ ...options, json: true }, ...rest);
  return { ...(JSON.parse(out) as CheckedDomain), code };
};

/** What the error says, and what it came from. */
const refusalOf = (run: Promise<Run>): Promise<string> =>
  run.then(
    () => 'no refusal',
    (error: unknown) => (error instanceof Error ? `${error.message} ${JSON.stringify(error.cause)}` : ''),
  );

/** A server that answers each path with its JSON, and 404 to others. */
async function startHttp(answers: Readonly<Record<string, unknown>>): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { code: 'not_found', detail: 'There is nothing here.' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('what is published', () => {
  test('a zone with everything required ends with 0, whatever of the advice is missing', async () => {
    await world.add('127.0.0.3', zone(dkim, spf));
    const checked = await checkJson({ records: file(RECORDS) });
    expect(checked).toMatchObject({
      code: 0,
      domain: 'acme.test',
      zone: 'acme.test',
      verified: true,
      conclusive: true,
    });
    expect(
      checked.records.map(({ purpose, required, status, found, asked }) => ({
        purpose,
        required,
        status,
        found,
        asked,
      })),
    ).toEqual([
      { purpose: 'dkim', required: true, status: 'found', found: [dkim.value], asked: ['ns1.acme.test (127.0.0.3)'] },
      { purpose: 'spf', required: true, status: 'found', found: [spf.value], asked: ['ns1.acme.test (127.0.0.3)'] },
      { purpose: 'return_path', required: false, status: 'missing', found: [], asked: ['ns1.acme.test (127.0.0.3)'] },
    ]);
    const { out } = await check({ records: file(RECORDS) });
    expect(out).toContain('MISSING  return_path, advised');
    expect(out).toContain('Everything required is published: 2 of 2 required records found.');
  });

  test('a doubled host ends with 1, and says where the record was found and what to do', async () => {
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
    expect(out).toContain('Not everything required is published: 1 of 2 required records found.');
  });

  test('a name server that fails ends with 1 and says that nothing can be told', async () => {
    await world.script('127.0.0.3', ({ questions = [] }) => ({ flags: 2, questions }));
    const checked = await checkJson({ records: file(RECORDS) });
    expect(checked).toMatchObject({ code: 1, verified: false, conclusive: false });
    expect(checked.records.map(({ status }) => status)).toEqual(['inconclusive', 'inconclusive', 'inconclusive']);
    expect((await check({ records: file(RECORDS) })).out).toMatch(/^Inconclusive: 0 of 2/m);
  });

  test('what a zone holds cannot write to the terminal', async () => {
    await world.add('127.0.0.3', zone({ ...dkim, value: 'v=DKIM1; p=\u001B[2J\u009Bevil\u202E' }, spf));
    const { out } = await check({ records: file(RECORDS) });
    expect(out).toContain('\\u{1b}[2J\\u{9b}evil\\u{202e}');
    expect(out.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('where the expected records come from', () => {
  beforeEach(() => world.add('127.0.0.3', zone(dkim, spf)));

  test('a file may hold the array, the domain as the provider answers it, or an onboarding', async () => {
    for (const content of [
      RECORDS,
      { id: 'dom_1', name: 'acme.test', records: RECORDS },
      { onboarding: { records: RECORDS } },
    ])
      expect(await checkJson({ records: file(content) })).toMatchObject({ code: 0, verified: true });
  });

  test('- is stdin, and the domain may be written with capitals and a final dot', async () => {
    const checked = await checkJson({ records: '-' }, { stdin: JSON.stringify(RECORDS), domain: 'ACME.test.' });
    expect(checked).toMatchObject({ code: 0, domain: 'acme.test' });
  });

  test('the onboarding of a tenant, at the set-up of the environment', async () => {
    const view = { onboarding: { domain: 'acme.test', stage: 'awaitingDomain', records: RECORDS } };
    const { url, asked } = await startHttp({ '/onboardings/acme': view });
    const environment = { ...ourDns(), SENDOFF_URL: url, SENDOFF_API_TOKEN: 'token' };
    expect(await checkJson({ tenant: 'acme' }, { environment })).toMatchObject({ code: 0, verified: true });
    expect(asked).toEqual(['/onboardings/acme Bearer token']);
    await expect(check({ tenant: 'acme' }, { environment, domain: 'other.test' })).rejects.toThrow(
      'The onboarding of tenant acme is for acme.test, not for other.test.',
    );
    await expect(check({ tenant: 'nobody' }, { environment })).rejects.toThrow('not_found');
  });

  test('a tenant of a set-up on this machine is looked for in the DNS of that set-up', async () => {
    const view = { onboarding: { domain: 'acme.test', stage: 'awaitingDomain', records: RECORDS } };
    const { url } = await startHttp({ '/onboardings/acme': view });
    // The small world of a set-up serves all of its zones from one server, on one port.
    const everything = [
      ...zoneAt('test', '127.0.0.1'),
      ...delegation('acme.test', '127.0.0.1'),
      ...zoneAt('acme.test', '127.0.0.1'),
    ];
    const dns = await startDnsServer({ zones: [...everything, published(dkim), published(spf)] });
    ends.push(() => dns.stop());
    writeFileSync(join(folder, 'address.json'), JSON.stringify({ url, apiToken: 'token', dnsServer: dns.address }));
    const checked = await checkJson({ tenant: 'acme', data: folder }, { environment: {} });
    expect(checked).toMatchObject({ code: 0, verified: true });
    expect(checked.records[0]?.asked).toEqual(['ns1.acme.test (127.0.0.1)']);
    expect(await checkJson({ records: file(RECORDS), data: folder }, { environment: {} })).toMatchObject({ code: 0 });
  });

  test("the provider, with the tenant's key, which no error repeats", async () => {
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

  test('without any of them the error names the three ways', async () => {
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
      () => file([dkim, { ...spf, type: 'CNAME' }]),
      /records\[1\]\.type must be TXT or MX; found "CNAME"/,
    ],
    ['several faults', () => file([{ required: 'yes' }]), /purpose[^]*type[^]*name[^]*value[^]*required/],
  ])('%s is refused with what is wrong', async (_title, records, message) => {
    await expect(check({ records: records() })).rejects.toThrow(message);
  });
});

describe('--server', () => {
  test('asks these servers and no others, also of a zone that nobody has delegated yet', async () => {
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

  test('follows an alias at the same server, and calls one that only refers elsewhere no answer', async () => {
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

  test('believes a recursive resolver, which has no authority of its own', async () => {
    await world.script('127.0.0.4', ({ questions = [] }) => {
      const [{ name, type } = { name: '', type: 'TXT' }] = questions;
      const record = RECORDS.find((one) => one.name === name.toLowerCase() && one.type === type && one.type === 'TXT');
      return {
        flags: RECURSION_AVAILABLE,
        answers: record === undefined ? [] : [{ type: 'TXT', name, ttl: 60, data: record.value }],
      };
    });
    const checked = await checkJson({ records: file(RECORDS), server: [`127.0.0.4:${world.port}`] });
    expect(checked).toMatchObject({ code: 0, verified: true });
    expect(checked.records[2]).toMatchObject({ status: 'missing' });
  });

  test('takes a host name, DNS_PORT as its port, and refuses what is neither', async () => {
    const records = file(RECORDS);
    const local = await serveAtLocalhost();
    const environment = { DNS_PORT: String(local) };
    const checked = await checkJson({ records, server: ['localhost'] }, { environment });
    expect(checked).toMatchObject({ code: 0, verified: true });
    expect(checked.records[0]?.asked).toEqual([expect.stringMatching(/^localhost \(/)]);
    for (const server of ['', '1.2.3', '127.0.0.1:99999', 'http://ns1.acme.test', 'no-such-host.invalid'])
      await expect(check({ records, server: [server] })).rejects.toThrow('is not a name server that can be asked');
  });
});

/** @returns its port */
async function serveAtLocalhost(): Promise<number> {
  const { address } = await lookup('localhost');
  const server = await startDnsServer({ zones: zone(dkim, spf), host: address });
  ends.push(() => server.stop());
  return server.port;
}

test('sendoff dns check takes several servers, prints one JSON object last, and ends with the code', async () => {
  await world.add('127.0.0.4', zone(dkim, spf));
  await world.add('127.0.0.5', zone(spf));
  const run = (...servers: readonly string[]): Promise<Run> =>
    new Promise((resolve) => {
      const args = [
        'dns',
        'check',
        ...servers.flatMap((server) => ['--server', `${server}:${world.port}`]),
        'acme.test',
      ];
      const program = fileURLToPath(new URL('../../../bin/sendoff.js', import.meta.url));
      execFile(
        process.execPath,
        [program, ...args, '--records', file(RECORDS), '--json'],
        { cwd: folder, env: { PATH: process.env['PATH'] } },
        (error, out) => {
          resolve({ code: Number(error?.code ?? 0), out });
        },
      );
    });
  const good = await run('127.0.0.4');
  expect(good.code).toBe(0);
  expect(JSON.parse(good.out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    domain: 'acme.test',
    verified: true,
  });
  const bad = await run('127.0.0.4', '127.0.0.5');
  expect([bad.code, JSON.parse(bad.out)]).toMatchObject([1, { verified: false }]);
}, 60_000);
