import { expect, test } from 'vitest';
import { type Notification, verifyNotification } from '../../src/api-client/sendoff-client.ts';
import { signWebhook } from '../../src/lib/webhooks/sign-webhook.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const bodyOf = (type: string): string =>
  JSON.stringify({
    type,
    timestamp: '2026-11-22T05:13:35.763Z',
    data: { tenantId: 'acme', domain: 'acme.test', undo: [], remains: [] },
  });
const signed = (body: string, ...secrets: string[]): Record<string, string> =>
  signWebhook({ id: 'evt_1', sentAt: new Date(), body }, ...secrets);

test('returns the notification, from text or bytes and the headers of fetch or of Node', () => {
  const body = bodyOf('onboarding.undo_ended');
  const headers = signed(body, secret);
  const expected = { id: 'evt_1', ...(JSON.parse(body) as object) };
  for (const content of [body, Buffer.from(body), new TextEncoder().encode(body)])
    for (const each of [headers, new Headers(headers)])
      expect(verifyNotification(content, each, secret)).toEqual(expected);
});

test('accepts either signature while the secret is rotated', () => {
  const body = bodyOf('onboarding.undo_ended');
  const headers = signed(body, `whsec_${Buffer.from('another secret').toString('base64')}`, secret);
  expect(verifyNotification(body, headers, secret)).toMatchObject({ id: 'evt_1' });
});

test('returns a type that a later version adds, which a switch over all types leaves to its default', () => {
  const summaryOf = (notification: Notification): string => {
    switch (notification.type) {
      case 'onboarding.domain_registered':
        return notification.data.records.map(({ host }) => host).join();
      case 'onboarding.needs_attention':
        return notification.data.reason === 'dns'
          ? notification.data.findings.map(({ fix }) => fix).join()
          : notification.data.deadline;
      case 'onboarding.onboarded':
        return notification.data.result.emailId;
      case 'onboarding.failed':
        return notification.data.message;
      case 'onboarding.verified':
      case 'onboarding.cancelled':
      case 'onboarding.undo_ended':
      case 'onboarding.terminated':
      case 'domain.drifted':
      case 'domain.recovered':
        return notification.data.tenantId;
      case 'agents_md.changed':
        return notification.data.producerId;
      default:
        notification satisfies never;
        return 'unknown';
    }
  };
  const received = (type: string): Notification =>
    verifyNotification(bodyOf(type), signed(bodyOf(type), secret), secret);
  expect(summaryOf(received('onboarding.undo_ended'))).toBe('acme');
  expect(summaryOf(received('onboarding.paused'))).toBe('unknown');
});

test.each<[string, string, Record<string, string | undefined>]>([
  ['another body', bodyOf('onboarding.verified'), signed(bodyOf('onboarding.failed'), secret)],
  ['another secret', bodyOf('onboarding.verified'), signed(bodyOf('onboarding.verified'), 'whsec_AAAA')],
  ['no signature', bodyOf('onboarding.verified'), {}],
  [
    'an old timestamp',
    bodyOf('onboarding.verified'),
    signWebhook({ id: 'evt_1', sentAt: new Date(Date.now() - 360_000), body: bodyOf('onboarding.verified') }, secret),
  ],
])('refuses %s as invalid_signature, without the secret in the error', (_name, body, headers) => {
  const verify = () => verifyNotification(body, headers, secret);
  expect(verify).toThrow(expect.objectContaining({ code: 'invalid_signature', status: null }) as Error);
  expect(verify).not.toThrow(secret.slice(6));
});

test.each(['[]', '"text"', 'no JSON', '{"type":"onboarding.verified"}', '{"type":1,"timestamp":"","data":{}}'])(
  'refuses %s, although it is signed',
  (body) => {
    expect(() => verifyNotification(body, signed(body, secret), secret)).toThrow(
      expect.objectContaining({ code: 'unexpected_answer' }) as Error,
    );
  },
);
