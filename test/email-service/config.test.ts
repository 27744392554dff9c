import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { emailServiceSettings, readEmailServiceConfig } from '../../src/email-service/config.ts';
import { defaultRetention } from './support/default-retention.ts';
import { SettingsError } from '../../src/lib/settings.ts';

const KEY = randomBytes(32).toString('base64');
const required = {
  EMAIL_SERVICE_ENCRYPTION_KEY: KEY,
  EMAIL_SERVICE_HOSTNAME: 'Mail.Example.com',
  EMAIL_SERVICE_SPF_MECHANISM: 'ip4:203.0.113.5',
};

describe('readEmailServiceConfig', () => {
  test('requires three settings; all others have a default or are optional', () => {
    expect(readEmailServiceConfig(required)).toEqual({
      role: 'all',
      host: '127.0.0.1',
      port: 8025,
      healthPort: undefined,
      databaseUrl: 'file:./data/email-service.db',
      databaseConnection: { passwordFile: undefined, connections: 10 },
      operatorTokens: undefined,
      encryptionKeys: [Buffer.from(KEY, 'base64')],
      hostname: 'mail.example.com',
      spfMechanism: 'ip4:203.0.113.5',
      returnPathLabel: 'bounce',
      inbound: { port: undefined, host: '0.0.0.0', certificateFile: undefined, certificateKeyFile: undefined },
      pauseBounceRate: 0.1,
      sendingLimits: { minute: 600, hour: 10_000, day: 50_000 },
      attachmentBytesMax: 10_000_000,
      smtpPort: 25,
      temporalNamespace: undefined,
      smtpRelayUrl: undefined,
      retention: defaultRetention,
      allowPrivateAddresses: false,
      blockedNetworks: [],
      allowReservedNames: false,
      dnsResolvers: undefined,
      dnsPort: 53,
      shutdownDelayMs: 0,
      logLevel: 'info',
      release: { version: undefined, heldPatches: [] },
    });
  });

  test.each([
    ['EMAIL_SERVICE_INBOUND_CERTIFICATE_FILE', 'EMAIL_SERVICE_INBOUND_CERTIFICATE_KEY_FILE'],
    ['EMAIL_SERVICE_INBOUND_CERTIFICATE_KEY_FILE', 'EMAIL_SERVICE_INBOUND_CERTIFICATE_FILE'],
  ])('refuses %s without %s', (given, missing) => {
    expect(() => readEmailServiceConfig({ ...required, [given]: '/etc/ssl/a.pem' })).toThrow(`${missing} is not set.`);
  });

  test('reports all missing and invalid settings together without repeating secrets', () => {
    const wrong = {
      EMAIL_SERVICE_PORT: '99999',
      EMAIL_SERVICE_OPERATOR_TOKEN: 'hunter2',
      SMTP_RELAY_URL: 'http://user:hunter2@relay.example.com',
      EMAIL_SERVICE_RETURN_PATH_LABEL: 'a.b',
    };
    const error = problemOf(() => readEmailServiceConfig(wrong));
    for (const name of [...Object.keys(required), ...Object.keys(wrong)]) expect(error).toContain(name);
    expect(error).not.toContain('hunter2');
  });

  test('requires the operator token on PostgreSQL, except of a process that answers no API', () => {
    const onPostgres = { ...required, EMAIL_SERVICE_DATABASE_URL: 'postgres://mail@127.0.0.1/mail' };
    for (const EMAIL_SERVICE_ROLE of ['all', 'http'])
      expect(problemOf(() => readEmailServiceConfig({ ...onPostgres, EMAIL_SERVICE_ROLE }))).toContain(
        'EMAIL_SERVICE_OPERATOR_TOKEN is not set. With PostgreSQL',
      );
    expect(readEmailServiceConfig({ ...onPostgres, EMAIL_SERVICE_ROLE: 'worker' }).operatorTokens).toBeUndefined();
    const EMAIL_SERVICE_OPERATOR_TOKEN = 'o'.repeat(40);
    expect(readEmailServiceConfig({ ...onPostgres, EMAIL_SERVICE_OPERATOR_TOKEN }).role).toBe('all');
  });

  test('takes one operator token, or several with names', () => {
    const read = (EMAIL_SERVICE_OPERATOR_TOKEN: string) =>
      readEmailServiceConfig({ ...required, EMAIL_SERVICE_OPERATOR_TOKEN }).operatorTokens;
    const [old, next] = ['1'.repeat(32), '2'.repeat(32)] as const;
    expect(read(old)).toEqual([{ name: 'default', token: old }]);
    expect(read(`new:${next},old:${old}`)).toEqual([
      { name: 'new', token: next },
      { name: 'old', token: old },
    ]);
  });

  test.each([
    ['a token of 31 characters', '1'.repeat(31)],
    ['one of 31 characters among several', `new:${'2'.repeat(32)},old:${'1'.repeat(31)}`],
    ['several without names', `${'2'.repeat(32)},${'1'.repeat(32)}`],
    ['a comma at the end', `${'1'.repeat(32)},`],
    ['a space', `${'1'.repeat(32)} ${'2'.repeat(32)}`],
  ])('refuses as the operator token %s, without showing it', (_case, EMAIL_SERVICE_OPERATOR_TOKEN) => {
    const error = problemOf(() => readEmailServiceConfig({ ...required, EMAIL_SERVICE_OPERATOR_TOKEN }));
    expect(error).toContain('EMAIL_SERVICE_OPERATOR_TOKEN must be at least 32 visible ASCII characters');
    expect(error).not.toContain('1'.repeat(31));
  });

  test('refuses an operator token with the name under which the email service pauses accounts', () => {
    const EMAIL_SERVICE_OPERATOR_TOKEN = `ada:${'o'.repeat(40)},bounce_rate:${'p'.repeat(40)}`;
    const error = problemOf(() => readEmailServiceConfig({ ...required, EMAIL_SERVICE_OPERATOR_TOKEN }));
    expect(error).toContain('EMAIL_SERVICE_OPERATOR_TOKEN must be another name than bounce_rate');
  });

  test.each([
    ['EMAIL_SERVICE_SPF_MECHANISM', '+all'],
    ['EMAIL_SERVICE_SPF_MECHANISM', '-ip4:203.0.113.5'],
    ['EMAIL_SERVICE_SPF_MECHANISM', 'ip4:203.0.113.5 -all'],
    ['EMAIL_SERVICE_SPF_MECHANISM', 'v=spf1 ip4:203.0.113.5'],
    ['EMAIL_SERVICE_HOSTNAME', 'localhost'],
    ['EMAIL_SERVICE_HOSTNAME', '203.0.113.5'],
    ['EMAIL_SERVICE_HOSTNAME', 'mail_1.example.com'],
    ['SMTP_RELAY_URL', 'relay.example.com:25'],
    ['ALLOW_PRIVATE_ADDRESSES', 'yes'],
    ['BLOCKED_NETWORKS', '10/8'],
    ['LOG_LEVEL', 'verbose'],
    ['EMAIL_SERVICE_ROLE', 'api'],
    ['EMAIL_SERVICE_ATTACHMENTS', '26MB'],
    ['EMAIL_SERVICE_ATTACHMENTS', '10'],
    ['SHUTDOWN_DELAY_SECONDS', '61'],
    ['SHUTDOWN_DELAY_SECONDS', '1.5'],
    ['EMAIL_SERVICE_EMAIL_RETENTION', '23h'],
    ['EMAIL_SERVICE_EMAIL_RETENTION', '0'],
    ['EMAIL_SERVICE_EVENT_RETENTION', '90'],
    ['EMAIL_SERVICE_IDEMPOTENCY_RETENTION', 'off'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemOf(() => readEmailServiceConfig({ ...required, [name]: value }))).toContain(name);
  });

  test('accepts the example of every setting that is not a command to run', () => {
    const examples = Object.entries(emailServiceSettings).flatMap(([name, { example }]) =>
      example.startsWith('the output of') ? [] : [[name, example] as const],
    );
    const examplesAndToken = { ...Object.fromEntries(examples), EMAIL_SERVICE_OPERATOR_TOKEN: 'o'.repeat(40) };
    expect(readEmailServiceConfig({ ...required, ...examplesAndToken }).hostname).toBe('mail.example.com');
  });
});

function problemOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
}
