import { expect, test } from 'vitest';
import { emailServiceNamespace } from '../../src/email-service/email-service-namespace.ts';

test.each([
  [undefined, 'sendoff', '127.0.0.1:7233', 'sendoff-email-service'],
  [undefined, 'team.sendoff', 'temporal.example.com:7233', 'team.sendoff-email-service'],
  [undefined, 'sendoff.a1b2c', 'us-east-1.aws.api.temporal.io:7233', 'sendoff-email-service.a1b2c'],
  [undefined, 'sendoff.a1b2c', 'sendoff.a1b2c.tmprl.cloud:7233', 'sendoff-email-service.a1b2c'],
  ['mail.a1b2c', 'sendoff.a1b2c', 'us-east-1.aws.api.temporal.io:7233', 'mail.a1b2c'],
  ['sendoff', 'sendoff', '127.0.0.1:7233', 'sendoff'],
])('EMAIL_SERVICE_TEMPORAL_NAMESPACE %s beside %s at %s results in %s', (named, namespace, address, expected) => {
  expect(emailServiceNamespace(named, { connectionOptions: { address }, namespace })).toBe(expected);
});
