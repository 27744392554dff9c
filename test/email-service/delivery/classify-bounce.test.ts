import { describe, expect, test } from 'vitest';
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

/** Real replies of these servers, with addresses replaced. */
const realReplies: readonly (readonly [string, string, SmtpCommand, BounceCategory])[] = [
  // Block lists and forgeries, without an enhanced code
  ['Exim', '550 192.0.2.1 listed at spamhaus, see http://www.spamhaus.org', 'RCPT TO', 'policy'],
  ['Exim', '550 Listed in zen.spamhaus.org. https://www.spamhaus.org/query/ip/192.0.2.1', 'RCPT TO', 'policy'],
  ['Exim', '550 Rejected: 192.0.2.1 is listed at work.drbl.example.net', 'RCPT TO', 'policy'],
  [
    'Exim',
    '550 The sending IP (192.0.2.1) is listed on https://spamrl.com/. Please resolve this and retry.',
    'RCPT TO',
    'policy',
  ],
  ['Barracuda', '550 rejecting spoofed message', 'RCPT TO', 'policy'],
  ['qmail', '553 VS10-RT Possible forgery or deactivated due to abuse (#5.1.1) 192.0.2.1', 'RCPT TO', 'policy'],
  ['Notes', '550 User x (x@b.test) not listed in public Name & Address Book', 'RCPT TO', 'recipient'],
  // Postfix
  [
    'Postfix',
    '550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in local recipient table',
    'RCPT TO',
    'recipient',
  ],
  [
    'Postfix',
    '550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in virtual mailbox table',
    'RCPT TO',
    'recipient',
  ],
  [
    'Postfix',
    '550 <a@b.test>: Recipient address rejected: User unknown in relay recipient table',
    'RCPT TO',
    'recipient',
  ],
  [
    'Postfix',
    '550 5.1.1 <a@b.test>: Recipient address rejected: undeliverable address: mailbox is unknown',
    'RCPT TO',
    'recipient',
  ],
  ['Postfix', '554 5.7.1 <a@b.test>: Recipient address rejected: Access denied', 'RCPT TO', 'policy'],
  [
    'Postfix',
    '550 5.7.1 <a@b.test>: Recipient address rejected: Message rejected due to: SPF fail - not authorized. Please see http://www.openspf.net/Why?s=mfrom',
    'RCPT TO',
    'policy',
  ],
  ['Postfix', '521 5.7.1 <a@b.test>: Recipient address rejected: not for you', 'RCPT TO', 'policy'],
  ['Postfix', '554 <a@b.test>: Recipient address rejected: Access denied', 'RCPT TO', 'policy'],
  ['Postfix', '554 5.7.1 <a@b.test>: Relay access denied', 'RCPT TO', 'policy'],
  [
    'Postfix',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1',
    'RCPT TO',
    'policy',
  ],
  [
    'Postfix',
    '550 5.1.0 <us@c.test>: Sender address rejected: User unknown in local recipient table',
    'RCPT TO',
    'policy',
  ],
  ['Postfix', '550 5.1.8 <us@c.test>: Sender address rejected: Domain not found', 'RCPT TO', 'policy'],
  ['Postfix', '504 5.5.2 <mail>: Helo command rejected: need fully-qualified hostname', 'RCPT TO', 'infrastructure'],
  ['Postfix', '552 5.3.4 Message size exceeds fixed limit', 'MAIL FROM', 'content'],
  ['Postfix', '552 5.2.2 <a@b.test>: Recipient address rejected: Mailbox is full', 'RCPT TO', 'mailbox_full'],
  ['Postfix', '552 <a@b.test>: Recipient address rejected: the account has used all it may', 'RCPT TO', 'mailbox_full'],
  ['Postfix', '550 4.2.2 <a@b.test>: Recipient address rejected: over quota', 'RCPT TO', 'mailbox_full'],
  ['Dovecot', '552 5.2.2 <a@b.test> Quota exceeded (mailbox for user is full)', 'DATA', 'mailbox_full'],
  // Exim
  ['Exim', '550 Unrouteable address', 'RCPT TO', 'recipient'],
  [
    'Exim',
    '550-Verification failed for <us@c.test>\r\n550-No Such User Here\r\n550 Sender verify failed',
    'RCPT TO',
    'policy',
  ],
  ['Exim', '550 Administrative prohibition', 'DATA', 'policy'],
  ['Exim', '550 relay not permitted', 'RCPT TO', 'policy'],
  ['Exim', '550 This message was classified as SPAM and may not be delivered', 'DATA', 'content'],
  ['Exim', '550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org', 'RCPT TO', 'policy'],
  ['Exim', '552 Message size exceeds maximum permitted', 'MAIL FROM', 'content'],
  ['Exim', '550 "The mailbox is full"', 'RCPT TO', 'mailbox_full'],
  // Exchange, Outlook.com
  [
    'Exchange',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    'RCPT TO',
    'recipient',
  ],
  [
    'Exchange',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [AM0.prod.protection.outlook.com]',
    'RCPT TO',
    'recipient',
  ],
  ['Exchange', '554 5.4.14 Hop count exceeded - possible mail loop ATTR34', 'DATA', 'infrastructure'],
  ['Exchange', '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required', 'DATA', 'policy'],
  ['Exchange', '550 5.7.64 TenantAttribution; Relay Access Denied', 'RCPT TO', 'policy'],
  ['Exchange', '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException', 'DATA', 'mailbox_full'],
  ['Exchange', '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient', 'DATA', 'content'],
  ['Exchange', '550 5.7.1 Message rejected as spam by Content Filtering.', 'DATA', 'content'],
  ['Exchange', '550 5.7.1 Client does not have permissions to send as this sender', 'DATA', 'policy'],
  ['Outlook.com', '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).', 'RCPT TO', 'recipient'],
  [
    'Outlook.com',
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).",
    'MAIL FROM',
    'policy',
  ],
  ['Outlook.com', '550 5.7.606 Access denied, banned sending IP [192.0.2.1]', 'RCPT TO', 'policy'],
  // Gmail
  [
    'Gmail',
    "550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550-5.1.1 double-checking the recipient's email address for typos or\r\n550 5.1.1 unnecessary spaces. https://support.google.com/mail/?p=NoSuchUser",
    'RCPT TO',
    'recipient',
  ],
  [
    'Gmail',
    '550 5.2.1 The email account that you tried to reach is disabled. https://support.google.com/mail/?p=DisabledUser',
    'RCPT TO',
    'recipient',
  ],
  [
    'Gmail',
    '550-5.2.1 The user you are trying to contact is receiving mail at a rate that\r\n550 5.2.1 prevents additional messages from being delivered.',
    'RCPT TO',
    'infrastructure',
  ],
  [
    'Gmail',
    '552-5.2.2 The email account that you tried to reach is over quota. Please direct\r\n552 5.2.2 the recipient to clear space. https://support.google.com/mail/?p=OverQuotaPerm',
    'RCPT TO',
    'mailbox_full',
  ],
  [
    'Gmail',
    '552-5.7.0 This message was blocked because its content presents a potential\r\n552 5.7.0 security issue. https://support.google.com/mail/?p=BlockedMessage',
    'DATA',
    'content',
  ],
  [
    'Gmail',
    '550-5.7.1 [192.0.2.1] Our system has detected that this message is likely\r\n550 5.7.1 unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked.',
    'DATA',
    'content',
  ],
  ['Gmail', '550-5.7.26 This mail has been blocked because the sender is unauthenticated.', 'DATA', 'policy'],
  ['Gmail', "552 5.3.4 Your message exceeded Google's message size limits.", 'DATA', 'content'],
  // Yahoo
  ['Yahoo', "554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [0]", 'DATA', 'recipient'],
  ['Yahoo', '552 1 Requested mail action aborted, mailbox not found', 'RCPT TO', 'recipient'],
  [
    'Yahoo',
    '554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes',
    'DATA',
    'policy',
  ],
  [
    'Yahoo',
    "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list",
    'MAIL FROM',
    'policy',
  ],
  [
    'Yahoo',
    '554 30 Sorry, your message to a@yahoo.com cannot be delivered. This mailbox is disabled (554.30).',
    'DATA',
    'recipient',
  ],
  // Others
  ['qmail', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", 'RCPT TO', 'policy'],
  ['qmail', '550 sorry, no mailbox here by that name (#5.1.1)', 'RCPT TO', 'recipient'],
  ['qmail', '552 sorry, that message size exceeds my databytes limit (#5.3.4)', 'DATA', 'content'],
  ['Cisco', '550 #5.1.0 Address rejected.', 'RCPT TO', 'recipient'],
  ['Cisco', '550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.', 'RCPT TO', 'policy'],
  [
    'GMX',
    '550-Requested action not taken: mailbox unavailable\r\n550 For explanation visit https://postmaster.gmx.net',
    'RCPT TO',
    'recipient',
  ],
  [
    'GMX',
    '554-Transaction failed\r\n554-Reject due to policy restrictions.\r\n554 For explanation visit https://postmaster.gmx.net',
    'DATA',
    'policy',
  ],
  ['Mimecast', '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550', 'RCPT TO', 'recipient'],
  [
    'Mimecast',
    '554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554',
    'DATA',
    'policy',
  ],
  ['iCloud', '552 5.2.2 <a@icloud.com>: user is over quota', 'RCPT TO', 'mailbox_full'],
  ['Sendmail', '550 5.7.1 <a@b.test>... Relaying denied. IP name lookup failed [192.0.2.1]', 'RCPT TO', 'policy'],
  [
    'Sendmail',
    '553 5.3.0 <a@b.test>... Spam blocked see: http://spamcop.net/bl.shtml?192.0.2.1',
    'RCPT TO',
    'infrastructure',
  ],
];

describe('a refusal is classified', () => {
  test.each(realReplies)('of %s: %s to %s: %s', (_, response, command, category) => {
    expect(classifyReply(reply(response), command)).toBe(category);
  });

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
    const bounce = bounceOfReply({ reply: reply(response), command: 'RCPT TO', remoteMta: 'mx.b.test', attempt: 1 });
    expect(bounce.permanent).toBe(false);
  });

  test('by its text, but not by words in an address or a link', () => {
    const response =
      '550 <no.such.user.unknown@spam.test>: rejected, see https://b.test/mailbox-full (ask over.quota@b.test)';
    expect(classifyReply(reply(response), 'DATA')).toBe('policy');
  });

  test.each(rows)('%s to %s: %s', (response, command, category) => {
    expect(classifyReply(reply(response), command)).toBe(category);
  });

  test.each([
    ['550 5.1.1 x', true],
    ['552 5.2.2 x', false],
    ['550 5.7.26 x', false],
    ['554 5.6.0 x', false],
    ['554 5.3.2 x', false],
  ])('%s: another email would bounce as well: %s', (response, permanent) => {
    const bounce = bounceOfReply({ reply: reply(response), command: 'DATA', remoteMta: 'mx.test', attempt: 1 });
    expect(bounce.permanent).toBe(permanent);
  });

  test('as a bounce with the codes, the server and its reply', () => {
    const refusal = {
      reply: reply('550 5.1.1 <x@y.test> unknown'),
      command: 'RCPT TO',
      remoteMta: 'mx.y.test',
      attempt: 3,
    } as const;
    expect(bounceOfReply(refusal)).toEqual({
      category: 'recipient',
      permanent: true,
      permanent_for: 'address',
      reason:
        'The receiving server does not accept mail for this address. Correct the address or stop sending to it. Reply: 550 5.1.1 <x@y.test> unknown',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: '<x@y.test> unknown',
      remote_mta: 'mx.y.test',
      attempt: 3,
    });
  });
});
