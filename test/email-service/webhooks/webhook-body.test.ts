import { describe, expect, test } from 'vitest';
import { WEBHOOK_BODY_BYTES_MAX, webhookBody } from '../../../src/email-service/webhooks/webhook-body.ts';

const email = (more: object = {}) => ({
  type: 'email.bounced',
  timestamp: '2026-11-21T12:00:00.000Z',
  data: { id: 'eml_1', status: 'bounced', bounce: { category: 'recipient' }, metadata: { order: '7' }, ...more },
});
const long = (bytes: number) => 'é'.repeat(bytes / 2);

describe('the body of a webhook', () => {
  test('is the event with its resource', () => {
    expect(JSON.parse(webhookBody(email()))).toEqual(email());
  });

  test.each([
    ['the attempts of an email that was put off many times', { attempts: [long(30_000)] }, ['attempts']],
    ['attempts and metadata', { attempts: [long(10_000)], metadata: { x: long(30_000) } }, ['attempts', 'metadata']],
    ['the findings of a domain', { records: [long(30_000)] }, ['records']],
  ])('omits and names %s', (_, more, leftOut) => {
    const body = webhookBody(email(more));
    expect(Buffer.byteLength(body)).toBeLessThan(WEBHOOK_BODY_BYTES_MAX);
    expect(JSON.parse(body)).toMatchObject({
      data: { id: 'eml_1', status: 'bounced', bounce: { category: 'recipient' }, left_out: leftOut },
    });
  });

  test('is never too large, for any resource', () => {
    const body = webhookBody(email({ unforeseen: long(100_000) }));
    expect(JSON.parse(body)).toMatchObject({ data: { id: 'eml_1', status: 'bounced', left_out: ['*'] } });
    expect(Buffer.byteLength(body)).toBeLessThan(WEBHOOK_BODY_BYTES_MAX);
  });
});
