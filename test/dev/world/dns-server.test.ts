import { readFile, writeFile } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { WORLD_ZONES as zones } from '../../../src/dev/world/world-zones.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let server: DnsServer;
let resolver: Resolver;

beforeEach(async () => {
  folder = temporaryFolder();
  await start();
});

afterEach(() => server.stop());

async function start(): Promise<void> {
  server = await startDnsServer({ zones, file: join(folder, 'published.json') });
  resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([server.address]);
}

describe('what the system’s own DNS client sees', () => {
  test('the recipient’s mail server and the zones’ name servers', async () => {
    expect(await resolver.resolveMx('inbox.test')).toMatchObject([{ priority: 10, exchange: 'mx.inbox.test' }]);
    expect(await resolver.resolve4('mx.inbox.test')).toEqual(['127.0.0.1']);
    expect(await resolver.resolveNs('test')).toEqual(['ns1.test']);
    expect(await resolver.resolveSoa('acme.test')).toMatchObject({ nsname: 'ns1.acme.test', minttl: 5 });
  });

  test('a published record, until it is withdrawn', async () => {
    server.publish([{ type: 'TXT', name: 'bounce.acme.test', value: 'v=spf1 -all' }]);
    expect(await resolver.resolveTxt('BOUNCE.acme.test')).toEqual([['v=spf1 -all']]);
    server.withdraw('bounce.acme.test', 'TXT');
    await expect(resolver.resolveTxt('bounce.acme.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('a long text in strings of 255 bytes, over TCP when it does not fit a datagram', async () => {
    const value = 'x'.repeat(2_000);
    server.publish([{ type: 'TXT', name: 'long.acme.test', value }]);
    const [strings] = await resolver.resolveTxt('long.acme.test');
    expect(strings!.map((text) => text.length)).toEqual([255, 255, 255, 255, 255, 255, 255, 215]);
    expect(server.queries.map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  });

  test('NXDOMAIN is not no data: a name with something below it exists', async () => {
    server.publish([{ type: 'TXT', name: 'k1._domainkey.acme.test', value: 'v=DKIM1; p=' }]);
    await expect(resolver.resolveTxt('_domainkey.acme.test')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolveMx('k1._domainkey.acme.test')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolveTxt('k2._domainkey.acme.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('a name in no zone is refused, not denied', async () => {
    await expect(resolver.resolveTxt('acme.com')).rejects.toMatchObject({ code: 'EREFUSED' });
  });

  test('an alias with what it leads to', async () => {
    server.publish([{ type: 'CNAME', name: 'www.acme.test', value: 'mx.inbox.test' }]);
    expect(await resolver.resolve4('www.acme.test')).toEqual(['127.0.0.1']);
  });
});

describe('published records', () => {
  test('survive a restart, and are not doubled when they are published again', async () => {
    const record = { type: 'TXT', name: 'bounce.acme.test', value: 'v=spf1 -all' } as const;
    server.publish([record]);
    await server.stop();
    await start();
    server.publish([record, record]);
    expect(await resolver.resolveTxt('bounce.acme.test')).toEqual([['v=spf1 -all']]);
  });

  test('are on disk when publish returns', async () => {
    server.publish([{ type: 'TXT', name: 'Bounce.acme.test.', value: 'v=spf1 -all' }]);
    expect(JSON.parse(await readFile(join(folder, 'published.json'), 'utf8'))).toEqual([
      { type: 'TXT', name: 'bounce.acme.test', value: 'v=spf1 -all' },
    ]);
  });

  test('a file that cannot be read is named at the start', async () => {
    const file = join(folder, 'broken.json');
    await writeFile(file, '[{');
    await expect(startDnsServer({ zones, file })).rejects.toThrow(`${file}, which must hold a JSON array`);
  });
});

test('a server that is stopped leaves its port to the next one, for UDP and TCP', async () => {
  const { port } = server;
  await server.stop();
  server = await startDnsServer({ zones, port });
  expect(server.port).toBe(port);
});
