import { describe, expect, it } from 'vitest';
import {
  bounceOfReply,
  classifyReply,
  type BounceCategory,
  type SmtpCommand,
} from '../../../src/email-service/delivery/classify-bounce.ts';
import { parseSmtpReply } from '../../../src/email-service/delivery/smtp-reply.ts';

const reply = (response: string) => {
  const parsed = parseSmtpReply(response);
  if (parsed === undefined) throw new Error(`not a reply: ${response}`);
  return parsed;
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
  ['525 5.7.13 account disabled', 'RCPT TO', 'recipient'],
  // Codes that servers use for anything: the text decides.
  ['550 5.4.1 Recipient address rejected: Access denied', 'RCPT TO', 'recipient'],
  ['550 5.7.1 Message rejected as spam', 'DATA', 'content'],
  ['550 5.7.1 Service unavailable; client host blocked using a block list', 'RCPT TO', 'policy'],
  ['550 5.7.1 The user you try to reach does not exist', 'RCPT TO', 'recipient'],
  ['554 5.0.0 Quota exceeded for this mailbox', 'RCPT TO', 'mailbox_full'],
  // No code: the text, and then the reply code with its command.
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
  it.each(rows)('%s to %s: %s', (response, command, category) => {
    expect(classifyReply(reply(response), command)).toBe(category);
  });

  it.each([
    ['550 5.1.1 x', true],
    ['552 5.2.2 x', false],
    ['550 5.7.26 x', true],
    ['554 5.6.0 x', false],
    ['554 5.3.2 x', false],
  ])('%s: another email would meet the same fate: %s', (response, permanent) => {
    const bounce = bounceOfReply({ reply: reply(response), command: 'DATA', remoteMta: 'mx.test', attempt: 1 });
    expect(bounce.permanent).toBe(permanent);
  });

  it('as a bounce with the codes, the server and its own words', () => {
    const refusal = {
      reply: reply('550 5.1.1 <x@y.test> unknown'),
      command: 'RCPT TO',
      remoteMta: 'mx.y.test',
      attempt: 3,
    } as const;
    expect(bounceOfReply(refusal)).toEqual({
      category: 'recipient',
      permanent: true,
      reason:
        'The receiving server says that this address takes no mail. Correct it, or stop sending to it. It said: 550 5.1.1 <x@y.test> unknown',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: '<x@y.test> unknown',
      remote_mta: 'mx.y.test',
      attempt: 3,
    });
  });
});
