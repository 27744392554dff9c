import { expect, test } from 'vitest';
import { backgroundNamespace } from '../../../src/background-namespace.ts';
import { emailServiceNamespace } from '../../../src/email-service/email-service-namespace.ts';

test.each([
  [undefined, 'sendoff', '127.0.0.1:7233', 'sendoff-email-service', 'sendoff-background'],
  [undefined, 'team.sendoff', 'temporal.example.com:7233', 'team.sendoff-email-service', 'team.sendoff-background'],
  [
    ...[undefined, 'sendoff.a1b2c', 'us-east-1.aws.api.temporal.io:7233'],
    ...['sendoff-email-service.a1b2c', 'sendoff-background.a1b2c'],
  ],
  [
    ...[undefined, 'sendoff.a1b2c', 'sendoff.a1b2c.tmprl.cloud:7233'],
    ...['sendoff-email-service.a1b2c', 'sendoff-background.a1b2c'],
  ],
  ['other.a1b2c', 'sendoff.a1b2c', 'us-east-1.aws.api.temporal.io:7233', 'other.a1b2c', 'other.a1b2c'],
  ['sendoff', 'sendoff', '127.0.0.1:7233', 'sendoff', 'sendoff'],
] as [string | undefined, string, string, string, string][])(
  'the setting %s beside %s at %s results in %s and %s',
  (named, namespace, address, emailService, background) => {
    const temporal = { connectionOptions: { address }, namespace };
    expect(emailServiceNamespace(named, temporal)).toBe(emailService);
    expect(backgroundNamespace(named, temporal)).toBe(background);
  },
);
