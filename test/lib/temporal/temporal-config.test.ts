import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SettingsError } from '../../../src/lib/settings.ts';
import { readTemporalConfig } from '../../../src/lib/temporal/temporal-config.ts';
import { folderOfFile } from '../../support/temporary-folder.ts';

const folder = folderOfFile();
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const pem = file('good.pem', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n');
const missing = join(folder, 'missing');
const base = { TEMPORAL_ADDRESS: '127.0.0.1:7233', TEMPORAL_CONFIG_FILE: '' };

describe('the settings of Temporal', () => {
  test('files that can be read are used', () => {
    const { connectionOptions, namespace } = readTemporalConfig({
      ...base,
      TEMPORAL_NAMESPACE: 'mail',
      TEMPORAL_TLS_CLIENT_CERT_PATH: pem,
      TEMPORAL_TLS_CLIENT_KEY_PATH: pem,
    });
    expect(namespace).toBe('mail');
    expect(connectionOptions).toMatchObject({ address: '127.0.0.1:7233', tls: { clientCertPair: {} } });
  });

  test.each([
    ['TEMPORAL_CONFIG_FILE', missing, 'there is no such file'],
    ['TEMPORAL_TLS_CLIENT_CERT_PATH', missing, 'there is no such file'],
    ['TEMPORAL_TLS_CLIENT_KEY_PATH', folder, 'it is a folder, not a file'],
    ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', join(pem, 'ca.pem'), 'part of the path is a file, not a folder'],
    ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', file('junk.pem', 'junk'), 'it contains no PEM'],
  ])('%s: %s is refused with its name, its path and what is wrong', (name, path, fault) => {
    expect(() => readTemporalConfig({ ...base, [name]: path })).toThrow(
      new SettingsError(`${name} is ${path}, which cannot be read: ${fault}`),
    );
  });

  test('all files that cannot be read are reported together', () => {
    const settings = { TEMPORAL_TLS_CLIENT_CERT_PATH: missing, TEMPORAL_TLS_CLIENT_KEY_PATH: missing };
    expect(() => readTemporalConfig({ ...base, ...settings })).toThrow(/CERT_PATH is .*\n.*KEY_PATH is /);
  });

  test('a configuration file that is no TOML, or that names a file that is not there, is reported as such', () => {
    const toml = (content: string) => () =>
      readTemporalConfig({ ...base, TEMPORAL_CONFIG_FILE: file('temporal.toml', content) });
    expect(toml('junk')).toThrow(/temporal\.toml\) cannot be used: Invalid TOML/);
    expect(toml(`[profile.default.tls]\nclient_cert_path = "${missing}"\n`)).toThrow(
      `${missing} cannot be read: there is no such file`,
    );
  });
});
