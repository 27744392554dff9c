import { describe, expect, test } from 'vitest';
import {
  bounceOfReply,
  type BounceCategory,
  type SmtpCommand,
} from '../../../src/email-service/delivery/classify-bounce.ts';
import { parseSmtpReply } from '../../../src/email-service/delivery/smtp-reply.ts';

type Row = readonly [receiver: string, reply: string, command: SmtpCommand, category: BounceCategory];

const bounceOf = ([, text, command]: Row) => {
  const reply = parseSmtpReply(text);
  if (reply === undefined) throw new Error(`not a reply: ${text}`);
  return bounceOfReply({ reply, command, remoteMta: 'mx.test', attempt: 1 });
};

/** What identifies each reply, with addresses and long links replaced. */
const deadAddresses: readonly Row[] = [
  [
    'Gmail',
    "550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550-5.1.1 double-checking the recipient's email address for typos or\r\n550-5.1.1 unnecessary spaces. For more information, go to\r\n550 5.1.1  https://support.google.com/mail/?p=NoSuchUser d2-20020a - gsmtp",
    'RCPT TO',
    'recipient',
  ],
  [
    'Gmail',
    '550 5.2.1 The email account that you tried to reach is inactive. For more information, go to https://support.google.com/mail/?p=DisabledUser',
    'RCPT TO',
    'recipient',
  ],
  ['T-Online', '550 (rca) Unknown user / Teilnehmer existiert nicht', 'RCPT TO', 'recipient'],
  [
    'Gmail',
    '550 5.1.1 The email account that you tried to reach does not exist. https://support.google.com/mail/?p=NoSuchUser',
    'RCPT TO',
    'recipient',
  ],
  [
    'Gmail',
    '550 5.2.1 The email account that you tried to reach is inactive. https://support.google.com/mail/?p=DisabledUser',
    'RCPT TO',
    'recipient',
  ],
  [
    'Exchange Online',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient a@b.test not found by SMTP address lookup',
    'DATA',
    'recipient',
  ],
  ['Exchange Online', '550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found', 'DATA', 'recipient'],
  [
    'Exchange Online',
    '550 5.4.1 Recipient address rejected: Access denied. [AM0EUR02FT013.eop-EUR02.prod.protection.outlook.com]',
    'RCPT TO',
    'recipient',
  ],
  ['Outlook.com', '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).', 'RCPT TO', 'recipient'],
  ['Yahoo', '554 delivery error: dd Not a valid recipient - atlas.test', 'DATA', 'recipient'],
  [
    'GMX',
    '550-Requested action not taken: mailbox unavailable\r\n550 For explanation visit https://postmaster.gmx.net/en/error-messages',
    'RCPT TO',
    'recipient',
  ],
  ['web.de', '550 5.1.1 User unknown', 'RCPT TO', 'recipient'],
  ['T-Online', '550 5.1.1 unknown user', 'RCPT TO', 'recipient'],
  [
    'Orange',
    '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]',
    'RCPT TO',
    'recipient',
  ],
  [
    'La Poste',
    '550 Adresse d au moins un destinataire invalide. Invalid recipient. LPN007_416',
    'RCPT TO',
    'recipient',
  ],
  [
    'Free',
    '550 5.2.1 This mailbox has been closed due to inactivity (in reply to RCPT TO command)',
    'RCPT TO',
    'recipient',
  ],
  [
    'Mail.ru',
    '550 Message was not accepted -- invalid mailbox.  Local mailbox a@mail.ru is unavailable: user not found',
    'RCPT TO',
    'recipient',
  ],
  ['Yandex', '550 5.7.1 No such user!', 'RCPT TO', 'recipient'],
  ['QQ', '550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1', 'RCPT TO', 'recipient'],
  ['QQ', '550 User not found: a@qq.com', 'RCPT TO', 'recipient'],
  ['163', '550 User not found: a@163.com', 'RCPT TO', 'recipient'],
  ['Zoho', '550 5.1.1 User does not exist - <a@b.test>', 'RCPT TO', 'recipient'],
  ['iCloud', '550 5.1.1 <a@icloud.com>: user does not exist', 'RCPT TO', 'recipient'],
  ['Proofpoint', '550 5.1.1 <a@b.test>... User unknown', 'RCPT TO', 'recipient'],
  ['Mimecast', '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550', 'RCPT TO', 'recipient'],
  ['Barracuda', '550 No such user (a@b.test)', 'RCPT TO', 'recipient'],
  ['a null MX', '556 5.1.10 Recipient address has null MX', 'RCPT TO', 'recipient'],
  ['qmail with chkuser', '511 sorry, no mailbox here by that name (#5.1.1 - chkuser)', 'RCPT TO', 'recipient'],
  ['Symantec', '550-Invalid recipient <a@b.test>\r\n550 (#5.1.1)', 'RCPT TO', 'recipient'],
  ['Coremail', "550 RCPT (a@b.test) dosn't exist", 'RCPT TO', 'recipient'],
  ['Sendmail', '550 5.1.2 <a@b.test>... Host unknown (Name server: b.test: host not found)', 'RCPT TO', 'recipient'],
  ['Sendmail', '550 5.2.1 <a@b.test>... Mailbox disabled for this recipient', 'RCPT TO', 'recipient'],
  ['Sun Messaging Server', '550 5.1.1 unknown or illegal alias: a@b.test', 'RCPT TO', 'recipient'],
  ['Zimbra', '550 5.1.1 <a@b.test>: Recipient address rejected: b.test', 'RCPT TO', 'recipient'],
  ['Comcast', '550 5.1.1 Not our Customer', 'RCPT TO', 'recipient'],
  ['UOL', '550 5.1.1 <a@b.test>: Recipient address rejected: usuario desconhecido', 'RCPT TO', 'recipient'],
  ['Libero', '550 5.1.1 mailbox not available, user disabled for inactivity', 'RCPT TO', 'recipient'],
];

const liveAddresses: readonly Row[] = [
  // Limits on how many messages a mailbox, a sender or a client may exchange.
  [
    'Exchange Online',
    '550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour.',
    'DATA',
    'infrastructure',
  ],
  [
    'Exchange Online',
    "550 5.2.121 Recipient's per hour message receive limit from specific sender exceeded.",
    'DATA',
    'infrastructure',
  ],
  [
    'Exchange Online',
    "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
    'DATA',
    'infrastructure',
  ],
  ['Exchange Online', '550 5.2.14 something new', 'DATA', 'infrastructure'],
  ['Exchange Online', '550 5.2.999 The mailbox does not exist in a new way', 'RCPT TO', 'infrastructure'],
  ['Exchange Online', '550 5.1.77 an invention', 'RCPT TO', 'infrastructure'],
  ['Gmail', '550 5.2.1 The user you are trying to contact is receiving mail too quickly.', 'RCPT TO', 'infrastructure'],
  ['Gmail', '550 5.4.5 Daily sending quota exceeded.', 'DATA', 'infrastructure'],
  ['QQ', '550 Domain frequency limited', 'RCPT TO', 'infrastructure'],
  ['QQ', '550 Ip frequency limited. http://service.mail.qq.com/cgi-bin/help', 'RCPT TO', 'infrastructure'],
  ['a greylist that answers 550', '550 Greylisted, please try again later', 'RCPT TO', 'infrastructure'],
  // A full mailbox.
  ['Orange', '552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]', 'RCPT TO', 'mailbox_full'],
  ['Yahoo', '552 5.2.2 The email account that you tried to reach is over quota', 'DATA', 'mailbox_full'],
  ['Mail.ru', '552 Message was not accepted -- mailbox is full', 'RCPT TO', 'mailbox_full'],
  ['iCloud', '552 5.2.2 <a@icloud.com>: user is over quota', 'RCPT TO', 'mailbox_full'],
  ['Zoho', '552 5.2.3 mailbox is full', 'RCPT TO', 'content'],
  // The sender: its address, its authentication, its reputation.
  ['Orange', '550 5.2.0 Mail rejete. Mail rejected. ofr_506 [506]', 'DATA', 'policy'],
  ['Orange', '550 5.2.0 Mail rejete. Mail rejected. OFR_515 [515]', 'DATA', 'policy'],
  [
    'Orange',
    '550 mwinf5c04 ME Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102',
    'RCPT TO',
    'content',
  ],
  ['Orange', '550 5.0.1 Emetteur invalide. Invalid Sender. OFR_415', 'RCPT TO', 'policy'],
  ['La Poste', '550 5.5.0 Service refuse. Veuillez essayer plus tard. LPN007_510', 'DATA', 'policy'],
  [
    '163',
    '554 DT:SPM 163 smtp5,jtKowAAnI4CgTxpb--.26S2 1528450981,please see http://mail.163.com/help/help_spam_16.htm',
    'DATA',
    'policy',
  ],
  ['163', '550 MI:SPB 163 mx9,NcCowAB3 1396 http://mail.163.com/help/help_spam_16.htm', 'RCPT TO', 'policy'],
  ['163', '553 Requested action not taken: NULL sender is not allowed', 'MAIL FROM', 'policy'],
  ['QQ', '550 Mail content denied. http://service.mail.qq.com/cgi-bin/help?subtype=1', 'DATA', 'content'],
  ['QQ', '550 Mailbox unavailable or access denied', 'RCPT TO', 'policy'],
  ['QQ', '550 SPF check failed', 'RCPT TO', 'policy'],
  [
    'Exchange Online',
    '550 5.7.509 Access denied, sending domain acme.test does not pass DMARC verification',
    'DATA',
    'policy',
  ],
  [
    'Exchange Online',
    '550 5.7.515 Access denied, sending domain does not meet the required authentication level.',
    'DATA',
    'policy',
  ],
  [
    'Exchange Online',
    '550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP.',
    'MAIL FROM',
    'policy',
  ],
  ['Exchange Online', '550 5.7.124 Sender not in allowed-senders list for group', 'DATA', 'policy'],
  ['Exchange Online', '550 5.7.136 RESOLVER.RST.SenderNotAuthenticatedForMailUser', 'DATA', 'policy'],
  ['Exchange Online', '550 5.1.8 Access denied, bad outbound sender', 'MAIL FROM', 'policy'],
  [
    'Outlook.com',
    '550 5.7.1 Unfortunately, messages from [192.0.2.1] were not sent: part of their network is on our block list (S3150).',
    'MAIL FROM',
    'policy',
  ],
  ['Gmail', '550 5.7.25 The IP address sending this message does not have a PTR record', 'DATA', 'policy'],
  [
    'Gmail',
    '550 5.7.26 Unauthenticated email from acme.test is not accepted due to domain’s DMARC policy.',
    'DATA',
    'policy',
  ],
  [
    'Gmail',
    '550 5.7.1 Our system has detected that this message is likely suspicious due to the very low reputation of the sending domain.',
    'DATA',
    'policy',
  ],
  [
    'Yahoo',
    '554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes',
    'DATA',
    'policy',
  ],
  [
    'Yahoo',
    '553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed.',
    'MAIL FROM',
    'policy',
  ],
  ['Yahoo', '554 Message not allowed - [PH01] Email not accepted for policy reasons.', 'DATA', 'policy'],
  [
    'GMX',
    '554-Transaction failed\r\n554-Reject due to policy restrictions.\r\n554 For explanation visit https://postmaster.gmx.net',
    'DATA',
    'policy',
  ],
  [
    'GMX',
    '550-Requested action not taken: mailbox unavailable\r\n550 Sender address is not allowed.',
    'MAIL FROM',
    'policy',
  ],
  [
    'web.de',
    '554 Nemesis ESMTP Service not available. No SMTP service. Bad DNS PTR resource record.',
    'CONNECT',
    'policy',
  ],
  [
    'T-Online',
    '554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.) (BL)',
    'CONNECT',
    'policy',
  ],
  ['Free', '550 5.7.1 Mail from 192.0.2.1 is blacklisted', 'RCPT TO', 'policy'],
  ['Yandex', '550 5.7.1 Policy rejection on the target address; see https://ya.cc/1', 'DATA', 'policy'],
  [
    'iCloud',
    '554 5.7.1 [CS01] Message rejected due to local policy. https://support.apple.com/en-us/HT204137',
    'DATA',
    'policy',
  ],
  [
    'iCloud',
    '550 5.7.0 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1',
    'CONNECT',
    'policy',
  ],
  ['Proofpoint', '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1', 'CONNECT', 'policy'],
  [
    'Mimecast',
    '550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550',
    'RCPT TO',
    'policy',
  ],
  ['Mimecast', '550 Rejected by header based Anti-Spoofing policy: a@b.test', 'DATA', 'policy'],
  [
    'Mimecast',
    '550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550',
    'RCPT TO',
    'policy',
  ],
  ['Barracuda', '550 permanent failure for one or more recipients (a@b.test:blocked)', 'DATA', 'policy'],
  [
    'Barracuda',
    '554 Service unavailable; Client host [mail.acme.test] blocked using Barracuda Reputation',
    'RCPT TO',
    'policy',
  ],
  ['Comcast', '550 5.2.0 Message rejected due to DMARC. Please see http://postmaster.comcast.net', 'DATA', 'policy'],
  ['Postfix', '550 5.1.1 <a@b.test>: Recipient address rejected: blocked by reputation service', 'RCPT TO', 'policy'],
  // The message.
  [
    'T-Online',
    '550-5.7.0 Message considered as spam or virus, rejected\r\n550 5.7.0 Message rejected',
    'DATA',
    'content',
  ],
  ['Mail.ru', '550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id', 'DATA', 'content'],
  ['Yandex', '554 5.7.1 [2] Message rejected under suspicion of SPAM; https://ya.cc/1', 'DATA', 'content'],
  ['Zoho', '550 5.7.1 Email cannot be delivered. Reason: Email detected as Spam by spam filters.', 'DATA', 'content'],
  [
    'Gmail',
    '552 5.7.0 This message was blocked because its content presents a potential security issue.',
    'DATA',
    'content',
  ],
  ['Exchange Online', '550 5.6.11 Invalid characters in the message: bare line feeds', 'DATA', 'content'],
  ['Sina', '552 message rejected by anti-spam engine.', 'DATA', 'content'],
  // A word about a user or an address, but not that the recipient's does not exist.
  [
    'Exchange',
    '550 5.2.0 RESOLVER.ADR.BadPrimary; recipient primary SMTP address is missing or invalid',
    'RCPT TO',
    'infrastructure',
  ],
  ['a directory that is away', '550 Recipient not found: LDAP directory lookup timed out', 'RCPT TO', 'recipient'],
  ['a server that checks greetings', '550 Invalid HELO, user unknown to us', 'RCPT TO', 'recipient'],
  ['a server that checks senders', '550 unknown user in MAIL FROM', 'RCPT TO', 'recipient'],
  ['a server that checks senders', '550 Return path unknown: no such user', 'RCPT TO', 'recipient'],
  ['a server that checks senders', '550 Bounce address: no such user', 'RCPT TO', 'recipient'],
  ['a server that checks senders', '550 Your mailbox does not exist here', 'RCPT TO', 'recipient'],
  [
    'a server with a list of correspondents',
    '550 5.7.1 The user accepts no mail from unknown users',
    'RCPT TO',
    'policy',
  ],
  // A listed code for the address beside words about something else.
  [
    'a user database that is away',
    '550 5.1.1 Recipient address rejected: User unknown (LDAP error 81)',
    'RCPT TO',
    'recipient',
  ],
  ['a proxy', '550 5.1.1 Mailbox server unavailable', 'RCPT TO', 'recipient'],
  ['a closed door', '550 5.1.1 Recipient not accepting external mail', 'RCPT TO', 'recipient'],
  ['a recipient filter', '550 5.1.1 Unknown user or rejected by domain setting', 'RCPT TO', 'recipient'],
  ['a sender check', '550 5.1.1 <x@acme.test>: address does not exist (callback)', 'RCPT TO', 'recipient'],
  [
    'a server that asks the next one',
    '550 5.1.1 Recipient address rejected: undeliverable address: connect to mx.b.test[192.0.2.9]:25: Connection refused',
    'RCPT TO',
    'recipient',
  ],
  [
    'a server that asks the next one',
    '550 5.1.1 Recipient address rejected: unverified address: Address verification in progress',
    'RCPT TO',
    'recipient',
  ],
  [
    'a server that asks the next one',
    '550 5.1.1 Recipient address rejected: Primary mail server unavailable',
    'RCPT TO',
    'recipient',
  ],
  [
    'a mailbox that moves',
    '550 5.1.1 Recipient address rejected: This mailbox is being moved to another server, please retry in an hour',
    'RCPT TO',
    'recipient',
  ],
  [
    'a server under maintenance',
    '550 5.1.1 Recipient address rejected: Mail system under maintenance',
    'RCPT TO',
    'recipient',
  ],
  ['Zimbra', '550 5.1.1 Recipient address rejected: account is in maintenance mode', 'RCPT TO', 'recipient'],
  ['a directory that is away', '550 5.1.1 Mailbox lookup failure: database unavailable', 'RCPT TO', 'recipient'],
  ['a server that puts off', '550 5.1.1 Recipient address rejected: Please come back later', 'RCPT TO', 'recipient'],
  [
    'a server that asks for MX',
    '550 5.1.1 Domain acme.test has no valid MX record, mail refused',
    'RCPT TO',
    'recipient',
  ],
  ['a server that knows us', '550 5.1.1 Your server sends too much unsolicited mail', 'RCPT TO', 'content'],
  ['a server that wants TLS', '550 5.1.1 Recipient requires TLS encryption', 'RCPT TO', 'recipient'],
  ['a full mailbox in Spanish', '550 5.1.1 <a@b.test>: buzon lleno', 'RCPT TO', 'recipient'],
  [
    'a full mailbox in German',
    '550 5.1.1 <a@b.test>: Recipient address rejected: Postfach ist voll',
    'RCPT TO',
    'recipient',
  ],
  [
    'Biglobe',
    '550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is restricted by our rules',
    'RCPT TO',
    'recipient',
  ],
  ['Exchange', '550 5.2.1 Content Filter agent quarantined this message', 'DATA', 'content'],
  ['Exchange Online', '550 5.4.1 Recipient address rejected: Greylisted', 'RCPT TO', 'infrastructure'],
  ['cPanel', '550 Domain acme.test has exceeded the max emails per hour (501/500).', 'RCPT TO', 'infrastructure'],
  // Nothing that says who or what is refused.
  ['a server without words', '550', 'RCPT TO', 'recipient'],
  ['a server in another language', '550 Отказано', 'RCPT TO', 'recipient'],
  ['Cisco', '550 #5.1.0 Address rejected.', 'RCPT TO', 'recipient'],
  ['a server with an account for its sender', '525 5.7.13 User Account Disabled', 'RCPT TO', 'policy'],
  ['AOL', '521 5.2.1 (CON:B1) service unavailable', 'CONNECT', 'policy'],
  ['NetEase', '550 User suspended', 'RCPT TO', 'recipient'],
];

describe('a bounce', () => {
  test.each(deadAddresses)('of %s is permanent for the address: %s to %s', (...row) => {
    expect(bounceOf(row)).toMatchObject({ category: row[3], permanent: true, permanent_for: 'address' });
  });

  test.each(liveAddresses)('of %s leaves the address alive: %s to %s', (...row) => {
    const [, , , category] = row;
    const permanentFor = category === 'policy' || category === 'content' ? 'message' : null;
    expect(bounceOf(row)).toMatchObject({ category, permanent: false, permanent_for: permanentFor });
  });

  test('by a bare reply code asks to check the address, and does not say that it is dead', () => {
    expect(bounceOf(['', '550', 'RCPT TO', 'recipient']).reason).toContain('Check the address');
  });
});
