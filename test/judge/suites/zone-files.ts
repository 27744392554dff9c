import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zoneFile } from '../../../src/http/setup-page/zone-file.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import type { Suite } from '../suite.ts';

const run = promisify(execFile);

const APEX = 'acme.test';
/** What the zone has already. Its `$ORIGIN` and `$TTL` must not change the lines that are pasted after them. */
const ZONE = [
  '$TTL 60',
  '@ SOA ns hostmaster 1 60 60 60 60',
  '@ NS ns',
  'ns A 127.0.0.1',
  '$ORIGIN elsewhere.acme.test.',
];

interface ZoneFileCase {
  readonly name: string;
  readonly type?: string;
  readonly owner?: string;
  readonly value: string;
}

const cases: readonly ZoneFileCase[] = [
  { name: 'a 2048-bit key', owner: `k1._domainkey.${APEX}`, value: 'v=DKIM1; k=rsa; p={key}' },
  { name: 'a 4096-bit key', owner: `k1._domainkey.${APEX}`, value: 'v=DKIM1; k=rsa; p={key}{key}' },
  { name: 'an SPF record', value: 'v=spf1 include:spf.sendoff.example -all' },
  { name: 'a DMARC record', owner: `_dmarc.${APEX}`, value: 'v=DMARC1; p=none; rua=mailto:d@acme.test' },
  { name: 'a mail server', type: 'MX', value: '10 mx.sendoff.example' },
  { name: 'a mail server with a dot at its end', type: 'MX', value: '0 mx.sendoff.example.' },
  { name: 'an alias', type: 'CNAME', owner: `k2._domainkey.${APEX}`, value: 'k2.dkim.provider.example' },
  { name: 'quotation marks and backslashes', value: 'say "a\\b" \\123' },
  { name: 'a semicolon and parentheses', value: 'a; b (c) @ $ORIGIN' },
  { name: 'a line break', value: 'a\n@ 60 IN A 192.0.2.1' },
  { name: 'letters outside of ASCII', value: 'Größe 📬' },
  { name: '255 characters', value: 'x'.repeat(255) },
  { name: '256 characters', value: 'x'.repeat(256) },
  { name: 'a text of two bytes a letter', value: 'ü'.repeat(300) },
  { name: 'an empty text', value: '' },
];

/** Compares what sendoff wants to be published with what BIND reads in the zone file that tenants download. */
export const zoneFiles: Suite = {
  name: 'zone-files',
  title: 'zone files of the setup page, read by BIND',
  debian: { 'bind9-utils': ['named-compilezone'] },
  python: false,
  async *run({ tools, folder, wants }) {
    const { publicKey } = await generateDkimKeyPair();
    for (const { name, type = 'TXT', owner = `bounce.${APEX}`, value: shown } of cases) {
      if (!wants(name)) continue;
      const value = shown.replaceAll('{key}', publicKey);
      const file = join(folder, 'acme.zone');
      await writeFile(file, `${ZONE.join('\n')}\n${zoneFile([{ type, name: owner, value }], ['For acme.test'])}`);
      const arguments_ = ['-q', '-i', 'none', '-f', 'text', '-F', 'text', '-s', 'full', '-o', '-', APEX, file];
      const { stdout, stderr } = await run(tools.command('named-compilezone'), arguments_, {
        env: tools.environment,
      }).catch((error: unknown) => error as { stdout: string; stderr: string });
      const lines = stdout.split('\n').filter((line) => !/^\S+\s+\d+ IN (?:SOA|NS|A)\s/.test(line) && line !== '');
      yield {
        case: name,
        judge: 'BIND',
        theirs: lines.map(readLine).join('\n'),
        ours: `${owner} 3600 ${type} ${value.replace(/\.$/, '')}`,
        detail: `${stdout}${stderr}`,
      };
    }
  },
};

function readLine(line: string): string {
  const [, owner = '', ttl = '', type = '', data = ''] = /^(\S+)\.\s+(\d+) IN (\S+)\s+(.*)$/.exec(line) ?? [];
  return `${owner} ${ttl} ${type} ${type === 'TXT' ? joinedStrings(data) : data.replace(/\.$/, '')}`;
}

/** RFC 1035 section 5.1: `\DDD` is a byte, any other character after a backslash is itself. */
function joinedStrings(data: string): string {
  const bytes: number[] = [];
  for (const [, string = ''] of data.matchAll(/"((?:\\.|[^"\\])*)"/g)) {
    for (const [, code, escaped, plain] of string.matchAll(/\\(\d{3})|\\(.)|([^\\])/g)) {
      bytes.push(code === undefined ? (escaped ?? plain ?? '').charCodeAt(0) : Number(code));
    }
  }
  return Buffer.from(bytes).toString('utf8');
}
