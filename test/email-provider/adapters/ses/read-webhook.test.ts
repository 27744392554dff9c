import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FAST, type FakeSes, startFakeSes } from '../../../../src/conformance/fakes/fake-ses.ts';
import {
  CERTIFICATE_PATH,
  newCertificate,
  SNS_HOST,
  snsMessage,
  TOPIC_ARN,
} from '../../../../src/conformance/fakes/fake-sns.ts';
import {
  createSesWebhookReader,
  type SesWebhookSettings,
} from '../../../../src/email-provider/adapters/ses/read-webhook.ts';
import { ProviderError, ProviderUnreachable } from '../../../../src/email-provider/provider-error.ts';
import type { WebhookReader } from '../../../../src/onboarding/provider-event.ts';
import { gate } from '../../../support/held-calls.ts';

let fake: FakeSes;
let read: WebhookReader;
const warn = vi.fn<(message: string) => void>();
beforeEach(async () => {
  warn.mockReset();
  fake = await startFakeSes();
  read = readerOf();
});
afterEach(async () => {
  await fake.close();
});

const readerOf = (given: Partial<SesWebhookSettings> = {}): WebhookReader =>
  createSesWebhookReader({ ...FAST, warn, baseUrl: fake.baseUrl, ...given });
const post = (message: object | string) =>
  read({ headers: {}, body: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)) });
const email = {
  id: 'e-1',
  from: 'a@acme.test',
  to: 'ada@inbox.test',
  tenant: 'so-1',
  tags: { sendoff_intent: ['i-1'] },
};
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();
const delivery = (fields: Readonly<Record<string, string>> = {}) =>
  snsMessage({ Message: fake.eventOf(email, 'Delivery', { timestamp: '2026-11-25T12:00:00.000Z' }), ...fields });
const certificates = () => fake.count(/\.pem$/);

test('an authentic message is an event, the same each time', async () => {
  const message = delivery({ Subject: 'Amazon SES Email Event Notification' });
  const event = {
    ...{ eventId: message['MessageId'], type: 'delivered', at: '2026-11-25T12:00:00.000Z' },
    ...{ emailId: 'e-1', intentId: 'i-1' },
  };
  expect(await post(message)).toEqual([event]);
  expect(await post(message)).toEqual([event]);
  expect(certificates()).toBe(1);
});

test('a message that is no event of an email is none', async () => {
  const Message = 'Successfully validated SNS topic for Amazon SES event publishing.';
  for (const message of [Message, '{}', '[]', '7', '{"eventType":"Send","mail":{}}', '{"mail":{"messageId":"e-1"}}'])
    expect(await post(snsMessage({ Message: message }))).toEqual([]);
});

test('a message that waited for hours counts', async () => {
  expect(await post(delivery({ Timestamp: ago(23 * 3_600) }))).toHaveLength(1);
});

describe('a message is refused', () => {
  test.each<[string, () => object | string]>([
    ['without a signature', () => ({ ...delivery(), Signature: '' })],
    ['with a changed text', () => ({ ...delivery(), Message: '{}' })],
    ['with a changed id', () => ({ ...delivery(), MessageId: 'other' })],
    ['with a changed time', () => ({ ...delivery(), Timestamp: ago(1) })],
    ['with a subject that was not signed', () => ({ ...delivery(), Subject: 'x' })],
    [
      'as another type',
      () => ({ ...delivery(), Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: 'https://x' }),
    ],
    ['of an unknown type', () => delivery({ Type: 'toString' })],
    ['with a signature that is a number', () => ({ ...delivery(), Signature: 7 })],
  ])('%s', async (_, forged) => {
    expect(await post(forged())).toBeUndefined();
    expect(fake.confirmed).toEqual([]);
  });

  test.each<[string, () => object | string]>([
    ['of another topic', () => delivery({ TopicArn: `${TOPIC_ARN}2` })],
    ['of a topic in another account', () => delivery({ TopicArn: TOPIC_ARN.replace('123456789012', '210987654321') })],
    ['two days old', () => delivery({ Timestamp: ago(48 * 3_600) })],
    ['from the future', () => delivery({ Timestamp: ago(-600) })],
    ['without a time', () => delivery({ Timestamp: 'now' })],
    ['without an id', () => delivery({ MessageId: '' })],
    ['of signature version 1', () => delivery({ SignatureVersion: '1' })],
    ['of no signature version', () => ({ ...delivery(), SignatureVersion: 2 })],
    ...[
      `http://${SNS_HOST}${CERTIFICATE_PATH}`,
      `https://${SNS_HOST}:8443${CERTIFICATE_PATH}`,
      `https://${SNS_HOST}.attacker.test${CERTIFICATE_PATH}`,
      `https://${SNS_HOST}@attacker.test${CERTIFICATE_PATH}`,
      `https://attacker.test/${SNS_HOST}${CERTIFICATE_PATH}`,
      `https://sns.us-east-1.amazonaws.com${CERTIFICATE_PATH}`,
      `https://bucket.s3.eu-west-1.amazonaws.com${CERTIFICATE_PATH}`,
      `https://${SNS_HOST}/../x${CERTIFICATE_PATH}`,
      `https://${SNS_HOST}${CERTIFICATE_PATH}?x=1`,
      `https://${SNS_HOST}/?Action=ConfirmSubscription`,
      'no URL',
    ].map((url): [string, () => object] => [`with its certificate at ${url}`, () => delivery({ SigningCertURL: url })]),
    ['that is no JSON', () => 'hello'],
    ['that is a list', () => '[]'],
    ['that nests deep', () => '['.repeat(200_000)],
  ])('%s, and nothing is fetched', async (_, forged) => {
    expect(await post(forged())).toBeUndefined();
    expect(fake.requests).toEqual([]);
  });

  test('signed with another key', async () => {
    fake.rules.before = (request) =>
      request.endsWith('.pem') ? { status: 200, body: newCertificate().certificate } : undefined;
    expect(await post(delivery())).toBeUndefined();
    expect(certificates()).toBe(1);
  });

  test('whose certificate Amazon does not have', async () => {
    const url = `https://${SNS_HOST}/SimpleNotificationService-${'8'.repeat(32)}.pem`;
    expect(await post(delivery({ SigningCertURL: url }))).toBeUndefined();
    expect(certificates()).toBe(1);
  });

  test('with a certificate that has expired', async () => {
    const late = readerOf({ now: () => Date.now() + 5 * 86_400_000 });
    const message = delivery({ Timestamp: ago(-5 * 86_400) });
    expect(await late({ headers: {}, body: Buffer.from(JSON.stringify(message)) })).toBeUndefined();
    expect(certificates()).toBe(1);
  });

  test('of signature version 1, and the log says how to change that', async () => {
    await post(delivery({ SignatureVersion: '1' }));
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringContaining('--attribute-name SignatureVersion --attribute-value 2'),
    ]);
  });
});

test('a message is neither accepted nor refused while its certificate cannot be fetched', async () => {
  let isLost = true;
  fake.rules.isLost = (request) => request.endsWith('.pem') && isLost;
  await expect(post(delivery())).rejects.toBeInstanceOf(ProviderUnreachable);
  isLost = false;
  expect(await post(delivery())).toHaveLength(1);
});

test('messages that arrive at once before the certificate is known share one request for it', async () => {
  const events = await Promise.all(Array.from({ length: 10 }, () => post(delivery())));
  expect(events.map((found) => found?.length)).toEqual(Array.from({ length: 10 }, () => 1));
  expect(certificates()).toBe(1);
});

test.each([
  [400, undefined],
  [404, undefined],
  [408, ProviderError],
  [429, ProviderError],
  [503, ProviderError],
])(
  'a message whose certificate is answered with %i is refused only if Amazon does not have it',
  async (status, thrown) => {
    fake.rules.before = (request) => (request.endsWith('.pem') ? { status, body: {} } : undefined);
    if (thrown === undefined) expect(await post(delivery())).toBeUndefined();
    else await expect(post(delivery())).rejects.toBeInstanceOf(thrown);
  },
);

test('a stranger can have at most two certificates fetched at once, and cannot displace those in use', async () => {
  expect(await post(delivery())).toHaveLength(1);
  const { open: release, opened } = gate();
  fake.rules.before = () => opened.then(() => undefined);
  const forged = Array.from({ length: 50 }, (_, at) => {
    const url = `https://${SNS_HOST}/SimpleNotificationService-${String(at).padStart(32, '0')}.pem`;
    return post(delivery({ SigningCertURL: url }));
  });
  const settled = Promise.allSettled(forged);
  expect(await post(delivery())).toHaveLength(1);
  await vi.waitFor(() => {
    expect(certificates()).toBe(3);
  });
  release();
  const ends = (await settled).map((end) => (end.status === 'rejected' ? 'unknown' : end.value));
  expect(ends).toEqual([undefined, undefined, ...Array.from({ length: 48 }, () => 'unknown')]);
  expect(certificates()).toBe(3);
});

test('the subscription of the own topic is confirmed by its token and not by its URL', async () => {
  const confirmation = { Type: 'SubscriptionConfirmation', Token: 't-1', SubscribeURL: 'https://attacker.test/' };
  expect(await post(snsMessage(confirmation))).toEqual([]);
  expect(fake.confirmed).toEqual(['t-1']);
  expect(await post(snsMessage({ ...confirmation, TopicArn: `${TOPIC_ARN}2` }))).toBeUndefined();
  expect(await post({ ...snsMessage(confirmation), Token: 't-2' })).toBeUndefined();
  expect(await post(snsMessage({ ...confirmation, Type: 'UnsubscribeConfirmation' }))).toEqual([]);
  expect(fake.confirmed).toEqual(['t-1']);
});

const bounced = (bounceType: string, bounceSubType: string, diagnosticCode?: string) =>
  snsMessage({
    Message: fake.eventOf(email, 'Bounce', {
      ...{ bounceType, bounceSubType },
      bouncedRecipients: [
        { emailAddress: email.to, action: 'failed', status: '5.1.1', ...(diagnosticCode && { diagnosticCode }) },
      ],
    }),
  });

test.each([
  ['Permanent', 'General', 'bounced', 'recipient'],
  ['Permanent', 'NoEmail', 'bounced', 'recipient'],
  ['Permanent', 'Suppressed', 'suppressed', 'suppressed'],
  ['Permanent', 'OnAccountSuppressionList', 'suppressed', 'suppressed'],
  ['Permanent', 'OnTenantSuppressionList', 'suppressed', 'suppressed'],
  ['Transient', 'General', 'deferred', undefined],
  ['Transient', 'MailboxFull', 'bounced', 'mailbox_full'],
  ['Transient', 'MessageTooLarge', 'bounced', 'content'],
  ['Transient', 'ContentRejected', 'bounced', 'content'],
  ['Transient', 'AttachmentRejected', 'bounced', 'content'],
  ['Undetermined', 'Undetermined', 'bounced', 'unknown'],
  ['New', 'Words', 'bounced', 'unknown'],
])('a bounce %s %s is %s, of the category %s', async (type, subType, expected, category) => {
  const [event] = (await post(bounced(type, subType))) ?? [];
  expect([event?.type, event?.bounce?.category]).toEqual([expected, category]);
});

test("the receiver's words are kept", async () => {
  const [event] = (await post(bounced('Permanent', 'NoEmail', 'smtp; 550 5.1.1 user unknown'))) ?? [];
  expect(event?.bounce).toMatchObject({
    ...{ reason: 'SES reports Permanent NoEmail', diagnostic: 'smtp; 550 5.1.1 user unknown' },
    ...{ smtpCode: 550, enhancedCode: '5.1.1', permanentFor: 'address' },
  });
});

test.each<[string, object, string]>([
  ['Send', {}, 'accepted'],
  ['Delivery', {}, 'delivered'],
  ['DeliveryDelay', { delayType: 'MailboxFull' }, 'deferred'],
  ['Complaint', { complaintFeedbackType: 'abuse' }, 'delivered'],
  ['Complaint', { complaintSubType: 'OnAccountSuppressionList' }, 'suppressed'],
  ['Reject', { reason: 'Bad content' }, 'bounced'],
  ['Open', {}, 'other'],
  ['toString', {}, 'other'],
  ['Rendering Failure', {}, 'other'],
])('%s %j is %s', async (word, detail, type) => {
  expect(await post(snsMessage({ Message: fake.eventOf(email, word, detail) }))).toMatchObject([{ type }]);
});
