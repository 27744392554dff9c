import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig, settingsTable } from '../../src/config.ts';
import { SettingsError } from '../../src/lib/settings.ts';
import { orchestratorRequires as valid } from '../support/required-settings.ts';
import { folderOfFile } from '../support/temporary-folder.ts';

const key = valid.SENDOFF_SECRET_KEY;

describe('configuration', () => {
  test('what is not set has its default', () => {
    expect(readConfig(valid)).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      databaseUrl: 'file:./data/sendoff.db',
      publicUrl: undefined,
      dnsPort: 53,
    });
  });

  test('an empty variable counts as not set', () => {
    expect(readConfig({ ...valid, SENDOFF_PORT: '', SENDOFF_PUBLIC_URL: ' ' })).toMatchObject({
      port: 8080,
      publicUrl: undefined,
    });
  });

  test('reports every missing or invalid setting together, each with a valid example and without secrets', () => {
    const read = () =>
      readConfig({
        SENDOFF_API_TOKEN: 'too-short-secret',
        SENDOFF_PORT: '99999',
        SENDOFF_PUBLIC_URL: 'ftp://x',
        DNS_RESOLVERS: 'dns.example',
      });
    expect(read).toThrow(
      new SettingsError(
        [
          'SENDOFF_API_TOKEN must be at least 24 visible ASCII characters without comma and not a placeholder, or several such tokens without colon, with different names: name:token,name:token; found a secret value (not shown).',
          '  SENDOFF_API_TOKEN=the output of: openssl rand -base64 32',
          `SENDOFF_SECRET_KEY is not set. ${settingsTable.SENDOFF_SECRET_KEY.meaning} SENDOFF_SECRET_KEY_FILE can name a file that contains it.`,
          '  SENDOFF_SECRET_KEY=the output of: openssl rand -base64 32',
          'SENDOFF_PORT must be a port number, 0 to 65535; found "99999".',
          '  SENDOFF_PORT=8080',
          'SENDOFF_PUBLIC_URL must be an http or https URL; found "ftp://x".',
          '  SENDOFF_PUBLIC_URL=https://sendoff.example.com',
          `EMAIL_PROVIDER_OPERATOR_TOKEN is not set. ${settingsTable.EMAIL_PROVIDER_OPERATOR_TOKEN.meaning} EMAIL_PROVIDER_OPERATOR_TOKEN_FILE can name a file that contains it.`,
          '  EMAIL_PROVIDER_OPERATOR_TOKEN=the value of EMAIL_SERVICE_OPERATOR_TOKEN',
          'DNS_RESOLVERS must be IP addresses with an optional port, separated by commas; found "dns.example".',
          '  DNS_RESOLVERS=192.0.2.53,192.0.2.54:5353',
        ].join('\n'),
      ),
    );
  });

  test.each(['300.1.1.1', '192.0.2.1:99999', '[192.0.2.1', 'fe80::1%eth0', ''])(
    'not with the resolver %j',
    (DNS_RESOLVERS) => {
      expect(() => readConfig({ ...valid, DNS_RESOLVERS: `192.0.2.2,${DNS_RESOLVERS}` })).toThrow(
        /^DNS_RESOLVERS must be IP addresses with an optional port/,
      );
    },
  );

  test.each([
    ['several keys for rotation', { SENDOFF_SECRET_KEY: `${key}, ${key}` }],
    ['resolvers with ports and IPv6', { DNS_RESOLVERS: '192.0.2.1:5353, [2001:db8::1]:53, 2001:db8::2' }],
    ['a URL with a slash at its end', { EMAIL_PROVIDER_URL: 'https://api.example.com/' }],
  ])('%s', (_name, changes) => {
    const config = readConfig({ ...valid, ...changes });
    expect(config.providerUrl.endsWith('/')).toBe(false);
  });
});

describe('a secret in a file', () => {
  const folder = folderOfFile();
  const { SENDOFF_SECRET_KEY, ...others } = valid;
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const readWith = (path: string) => readConfig({ ...others, SENDOFF_SECRET_KEY_FILE: path });

  test.each(['', '\n', '\r\n'])('is read without the end of its line: %j', (end) => {
    expect(readWith(file('key', SENDOFF_SECRET_KEY + end)).secretKeys).toEqual([Buffer.from(key, 'base64')]);
  });

  test('an empty NAME_FILE counts as not set', () => {
    expect(readConfig({ ...valid, SENDOFF_SECRET_KEY_FILE: ' ' }).secretKeys).toHaveLength(1);
    expect(readConfig(valid).notificationReceiver).toBeUndefined();
  });

  test('is refused beside the same secret in a variable', () => {
    expect(() => readConfig({ ...valid, SENDOFF_SECRET_KEY_FILE: file('key', key) })).toThrow(
      new SettingsError('SENDOFF_SECRET_KEY and SENDOFF_SECRET_KEY_FILE are both set; set only one of them.'),
    );
  });

  test('is refused with the setting and the path if the file cannot be used, and never shown', () => {
    const missing = join(folder, 'missing');
    expect(() => readWith(missing)).toThrow(
      new SettingsError(`SENDOFF_SECRET_KEY_FILE is ${missing}, which cannot be read: there is no such file`),
    );
    mkdirSync(join(folder, 'a-folder'));
    expect(() => readWith(join(folder, 'a-folder'))).toThrow('it is a folder, not a file');
    expect(() => readWith(file('empty', '\n'))).toThrow(/^SENDOFF_SECRET_KEY_FILE is .*empty, which is empty$/);
    const short = file('short', 'c2hvcnQ=');
    expect(() => readWith(short)).toThrow(
      new SettingsError(
        `SENDOFF_SECRET_KEY must be 32 bytes in base64 (openssl rand -base64 32), or several such keys separated by commas; found a secret value (not shown) in ${short}.\n  SENDOFF_SECRET_KEY=the output of: openssl rand -base64 32`,
      ),
    );
  });

  test('is not read for a setting that is no secret', () => {
    expect(readConfig({ ...valid, SENDOFF_PORT_FILE: join(folder, 'missing') }).port).toBe(8080);
  });
});
