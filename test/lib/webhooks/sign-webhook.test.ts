import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { signWebhook } from '../../../src/lib/webhooks/sign-webhook.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const body = JSON.stringify({ type: 'email.delivered', data: { subject: 'Grüße, 你好' } });
const signed = () => signWebhook({ id: 'evt_1', sentAt: new Date(), body }, secret);

describe('a signed webhook', () => {
  test('is accepted by the reference implementation', () => {
    expect(new Webhook(secret).verify(body, signed())).toEqual(JSON.parse(body));
  });

  test.each([
    ['another body', (headers: Record<string, string>) => new Webhook(secret).verify(`${body} `, headers)],
    [
      'another id',
      (headers: Record<string, string>) => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'evt_2' }),
    ],
    [
      'another secret',
      (headers: Record<string, string>) =>
        new Webhook(`whsec_${randomBytes(32).toString('base64')}`).verify(body, headers),
    ],
  ])('is refused with %s', (_, verify) => {
    expect(() => verify(signed())).toThrow('No matching signature found');
  });

  test('is accepted with either secret while they are rotated', () => {
    const newSecret = `whsec_${randomBytes(32).toString('base64')}`;
    const headers = signWebhook({ id: 'evt_1', sentAt: new Date(), body }, newSecret, secret);
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const each of [secret, newSecret]) expect(new Webhook(each).verify(body, headers)).toEqual(JSON.parse(body));
  });

  test('carries the time of the attempt, so that an old post cannot be replayed', () => {
    const old = signWebhook({ id: 'evt_1', sentAt: new Date(Date.now() - 3_600_000), body }, secret);
    expect(() => new Webhook(secret).verify(body, old)).toThrow('Message timestamp too old');
  });
});
