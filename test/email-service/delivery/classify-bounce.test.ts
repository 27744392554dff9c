import { describe, expect, test } from 'vitest';
import {
  bounceOfReply,
  type BounceCategory,
  type SmtpCommand,
} from '../../../src/email-service/delivery/classify-bounce.ts';
import { parseSmtpReply } from '../../../src/email-service/delivery/smtp-reply.ts';

const bounceOf = (response: string, command: SmtpCommand) => {
  const reply = parseSmtpReply(response);
  if (reply === undefined) throw new Error(`not a reply: ${response}`);
  return bounceOfReply({ reply, command, remoteMta: 'mx.test', attempt: 3 });
};

const rows: readonly (readonly [string, SmtpCommand, BounceCategory])[] = [
  // By RFC 3463 code.
  ['550 5.1.1 whatever', 'RCPT TO', 'recipient'],
  ['550 5.1.2 whatever', 'RCPT TO', 'recipient'],
  ['550 5.1.6 moved', 'RCPT TO', 'recipient'],
  ['556 5.1.10 null MX', 'RCPT TO', 'recipient'],
  ['553 5.1.8 sender domain', 'MAIL FROM', 'policy'],
  ['550 5.2.1 disabled', 'RCPT TO', 'recipient'],
  ['552 5.2.2 full', 'RCPT TO', 'mailbox_full'],
  ['552 5.2.3 long', 'DATA', 'content'],
  ['554 5.3.2 closing', 'DATA', 'infrastructure'],
  ['552 5.3.4 big', 'MAIL FROM', 'content'],
  ['554 5.4.6 loop', 'DATA', 'infrastructure'],
  ['503 5.5.1 sequence', 'DATA', 'infrastructure'],
  ['554 5.6.0 conversion', 'DATA', 'content'],
  ['550 5.7.26 unauthenticated', 'DATA', 'policy'],
  ['525 5.7.13 account disabled', 'RCPT TO', 'policy'],
  // Generic codes: the text decides.
  ['550 5.4.1 Recipient address rejected: Access denied', 'RCPT TO', 'recipient'],
  ['550 5.7.1 Message rejected as spam', 'DATA', 'content'],
  ['550 5.7.1 Service unavailable; client host blocked using a block list', 'RCPT TO', 'policy'],
  ['550 5.7.1 The user you try to reach does not exist', 'RCPT TO', 'recipient'],
  ['554 5.0.0 Quota exceeded for this mailbox', 'RCPT TO', 'mailbox_full'],
  // No enhanced code: the text decides, then the reply code and command.
  ['550 No such user here', 'RCPT TO', 'recipient'],
  ['550 Mailbox is full', 'RCPT TO', 'mailbox_full'],
  ['552 Message size exceeds fixed limit', 'MAIL FROM', 'content'],
  ['554 Blocked by our DNSBL', 'RCPT TO', 'policy'],
  ['554 Relay access denied', 'RCPT TO', 'policy'],
  ['550 Failed DMARC check', 'DATA', 'policy'],
  ['550', 'RCPT TO', 'recipient'],
  ['550', 'DATA', 'policy'],
  ['554', 'DATA', 'policy'],
  ['552', 'DATA', 'mailbox_full'],
  ['500 What?', 'MAIL FROM', 'infrastructure'],
];

describe('a refusal is classified', () => {
  test.each([
    '550 Requested action not taken: mailbox unavailable Failure sending mail. Try again later.',
    '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
    '550 5.2.1 <a@b.test>... blank mailhost - invalid address, relay=[192.0.2.1]',
    '550 5.2.1 This mailbox has been blocked due to inactivity',
    '550 Mailbox unavailable or access denied',
    '550 <a@b.test>: Invalid DNS MX or A/AAAA resource record',
    '550 permanent failure for one or more recipients (a@b.test:blocked)',
    '550 Too many invalid recipients',
    '550 DNS error when resolving MX server for b.test: Domain name not found',
    '550 5.1.1 <a@b.test>... email address lookup in domain map failed',
    '550-"The recipient cannot be verified. Please check all recipients of this',
    '550 <a@b.test>: Recipient address rejected: Account closed due to inactivity. No forwarding information is available.',
    '550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in virtual mailbox table (temporary lookup failure)',
    '551 5.7.1 Unable to correctly read the forwarding recipient (where to forward the email to) (#id-5.9.5)',
    '552 5.1.1 <a@b.test> recipient rejected - extended quota violation',
    '552 5.1.1 <a@b.test> Mailbox delivery failure policy error',
    '553 5.3.0 <a@b.test>... Mail from 192.0.2.1 rejected,see http://www.spamhaus.org/lookup/',
    '554 5.7.1 <a@b.test>: Recipient address rejected: BLOCK-RCPT.',
    '554 5.7.1 <a@b.test>: Recipient address rejected: https://www.spamhaus.org/query/ip/192.0.2.1',
    '554 5.7.1 The recipient definitively does not want your mail. It will not be delivered but analyzed again.',
    '550 5.7.1 <a@b.test>: Recipient address rejected: Inactive MailBox, not poped for more than 6 months',
    '550 Connection frequency limited',
    '550 ip in prison',
  ])('without giving up the address: %s', (response) => {
    expect(bounceOf(response, 'RCPT TO').permanent).toBe(false);
  });

  test('by its text, but not by words in an address or a link', () => {
    const response =
      '550 <no.such.user.unknown@spam.test>: rejected, see https://b.test/mailbox-full (ask over.quota@b.test)';
    expect(bounceOf(response, 'DATA').category).toBe('policy');
  });

  test.each(rows)('%s to %s: %s', (response, command, category) => {
    expect(bounceOf(response, command).category).toBe(category);
  });

  test.each([
    ['550 5.1.1 x', true],
    ['552 5.2.2 x', false],
    ['550 5.7.26 x', false],
    ['554 5.6.0 x', false],
    ['554 5.3.2 x', false],
  ])('%s: another email would bounce as well: %s', (response, permanent) => {
    expect(bounceOf(response, 'DATA').permanent).toBe(permanent);
  });

  test('as a bounce with the codes, the server and its reply', () => {
    expect(bounceOf('550 5.1.1 <x@y.test> unknown', 'RCPT TO')).toEqual({
      category: 'recipient',
      permanent: true,
      permanent_for: 'address',
      reason:
        'The receiving server does not accept mail for this address. Correct the address or stop sending to it. Reply: 550 5.1.1 <x@y.test> unknown',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: '<x@y.test> unknown',
      remote_mta: 'mx.test',
      attempt: 3,
    });
  });
});
