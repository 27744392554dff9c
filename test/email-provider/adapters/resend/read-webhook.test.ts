// Resend's own SDK judges which webhooks are authentic.
import { Resend } from 'resend';
import { describe, expect, test } from 'vitest';
import { createResendWebhookReader } from '../../../../src/email-provider/adapters/resend/read-webhook.ts';
import { RESEND_SECRET, type ResendWebhook, resendWebhook } from '../../../support/resend-webhook.ts';

const OTHER_SECRET = `whsec_${Buffer.from('another secret, also long enough').toString('base64')}`;
const sdk = new Resend('re_test');
const read = ({ headers, payload }: ResendWebhook, secrets = [RESEND_SECRET]) =>
  createResendWebhookReader(secrets)({ headers, body: Buffer.from(payload) });

function sdkAccepts({ headers, payload }: ResendWebhook): boolean {
  const header = (name: string): string => headers[`svix-${name}`] ?? '';
  try {
    sdk.webhooks.verify({
      payload,
      headers: { id: header('id'), timestamp: header('timestamp'), signature: header('signature') },
      webhookSecret: RESEND_SECRET,
    });
    return true;
  } catch {
    return false;
  }
}

const delivered = { type: 'email.delivered', data: { email_id: 'e-1', tags: { sendoff_intent: 'i-1' } } };
const right = () => resendWebhook(delivered);
const changed = (changes: Record<string, string>): ResendWebhook => ({
  ...right(),
  headers: { ...right().headers, ...changes },
});

test.each<[string, boolean, () => ResendWebhook]>([
  ['right in everything', true, right],
  ['four minutes old', true, () => resendWebhook(delivered, { aheadMs: -240_000 })],
  ['six minutes old', false, () => resendWebhook(delivered, { aheadMs: -360_000 })],
  ['six minutes ahead', false, () => resendWebhook(delivered, { aheadMs: 360_000 })],
  ['signed with another secret', false, () => resendWebhook(delivered, { secret: OTHER_SECRET })],
  ['with an altered body', false, () => ({ ...right(), payload: right().payload.replace('e-1', 'e-2') })],
  ['with another id', false, () => changed({ 'svix-id': 'msg_2' })],
  ['without a signature', false, () => changed({ 'svix-signature': '' })],
  [
    'with a signature of another version',
    false,
    () => changed({ 'svix-signature': right().headers['svix-signature']?.replace('v1,', 'v2,') ?? '' }),
  ],
  ['without a time', false, () => changed({ 'svix-timestamp': '' })],
])('a webhook %s: %s, as for the SDK', async (_name, isAuthentic, made) => {
  const webhook = made();
  expect(sdkAccepts(webhook)).toBe(isAuthentic);
  expect((await read(webhook)) !== undefined).toBe(isAuthentic);
});

test('either secret is accepted while they are rotated', async () => {
  const webhook = resendWebhook(delivered, { secret: OTHER_SECRET });
  expect(await read(webhook, [RESEND_SECRET, OTHER_SECRET])).toHaveLength(1);
});

describe('the event', () => {
  const eventOf = async (event: object) => (await read(resendWebhook(event)))?.[0];
  const at = '2026-11-24T12:00:00.000Z';

  test.each([
    ['email.sent', 'accepted'],
    ['email.delivered', 'delivered'],
    ['email.delivery_delayed', 'deferred'],
    ['email.bounced', 'bounced'],
    ['email.suppressed', 'suppressed'],
    ['email.opened', 'other'],
    ['email.failed', 'other'],
    ['a word that is new', 'other'],
    ['toString', 'other'],
  ])('%s is %s', async (word, type) => {
    const event = await eventOf({ ...delivered, type: word });
    expect(event).toMatchObject({ eventId: 'msg_1', type, at, emailId: 'e-1', intentId: 'i-1' });
  });

  test('of a domain', async () => {
    expect(await eventOf({ type: 'domain.updated', data: { id: 'd-1', status: 'verified' } })).toMatchObject({
      ...{ type: 'domain', domainId: 'd-1' },
      emailId: undefined,
    });
  });

  const bounced = (words: object) => eventOf({ type: 'email.bounced', data: { email_id: 'e-1', bounce: words } });

  test.each([
    ['Permanent', 'General', 'recipient', 'address'],
    ['Permanent', 'NoEmail', 'recipient', 'address'],
    ['Transient', 'MailboxFull', 'mailbox_full', null],
    ['Transient', 'General', 'infrastructure', null],
    ['Permanent', 'ContentRejected', 'content', 'message'],
    ['Permanent', 'MessageTooLarge', 'content', 'message'],
    ['Undetermined', 'Undetermined', 'unknown', null],
    ['new', 'constructor', 'unknown', null],
  ])('of a bounce that is %s/%s: %s, refused for good: %s', async (type, subType, category, permanentFor) => {
    const message = 'The mailbox does not exist';
    const diagnosticCode = ['smtp; 550 5.1.1 user unknown'];
    expect((await bounced({ type, subType, message, diagnosticCode }))?.bounce).toEqual({
      ...{ category, permanentFor, reason: message, diagnostic: diagnosticCode[0], remoteMta: null },
      ...{ smtpCode: 550, enhancedCode: '5.1.1' },
    });
  });

  test.each([
    ['550 no such user', 550, null],
    ['smtp;554 5.7.1 refused', 554, '5.7.1'],
    ['delivery timed out', null, null],
    ['smtp; 550 5.1.10.1 odd', 550, null],
  ])('of the reply "%s"', async (reply, smtpCode, enhancedCode) => {
    expect((await bounced({ diagnosticCode: [reply] }))?.bounce).toMatchObject({
      smtpCode,
      enhancedCode,
      diagnostic: reply,
    });
  });

  test('of a bounce without words', async () => {
    expect((await bounced({}))?.bounce).toMatchObject({ category: 'unknown', diagnostic: null });
    const suppressed = await eventOf({
      type: 'email.suppressed',
      data: { email_id: 'e-1', suppressed: { message: 'Listed' } },
    });
    expect(suppressed?.bounce).toMatchObject({ category: 'suppressed', permanentFor: 'address', reason: 'Listed' });
  });

  test.each([7, null, [], 'text', { tags: 'x', bounce: [] }])('of data %j does not fail', async (data) => {
    expect(await eventOf({ type: 'email.bounced', data })).toMatchObject({ type: 'bounced' });
  });
});
