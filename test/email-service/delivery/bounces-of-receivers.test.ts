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

/** Refusals of one command: in each line the receiver, a colon and its reply, whose own line ends are CRLF. */
const refusals =
  (command: SmtpCommand, category: BounceCategory) =>
  ([text = '']: TemplateStringsArray): Row[] =>
    text
      .trim()
      .split(/(?<!\r)\n */)
      .map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2), command, category];
      });

/** Real replies: what identifies each, with addresses and long links replaced. */
const deadAddresses: readonly Row[] = [
  ...refusals('RCPT TO', 'recipient')`
    Gmail: 550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550-5.1.1 double-checking the recipient's email address for typos or\r\n550-5.1.1 unnecessary spaces. For more information, go to\r\n550 5.1.1  https://support.google.com/mail/?p=NoSuchUser d2-20020a - gsmtp
    Gmail: 550 5.2.1 The email account that you tried to reach is inactive. For more information, go to https://support.google.com/mail/?p=DisabledUser
    T-Online: 550 (rca) Unknown user / Teilnehmer existiert nicht
    Gmail: 550 5.1.1 The email account that you tried to reach does not exist. https://support.google.com/mail/?p=NoSuchUser
    Gmail: 550 5.2.1 The email account that you tried to reach is inactive. https://support.google.com/mail/?p=DisabledUser
    Exchange Online: 550 5.4.1 Recipient address rejected: Access denied. [AM0EUR02FT013.eop-EUR02.prod.protection.outlook.com]
    Outlook.com: 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).
    GMX: 550-Requested action not taken: mailbox unavailable\r\n550 For explanation visit https://postmaster.gmx.net/en/error-messages
    web.de: 550 5.1.1 User unknown
    T-Online: 550 5.1.1 unknown user
    Orange: 550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]
    La Poste: 550 Adresse d au moins un destinataire invalide. Invalid recipient. LPN007_416
    Free: 550 5.2.1 This mailbox has been closed due to inactivity (in reply to RCPT TO command)
    Mail.ru: 550 Message was not accepted -- invalid mailbox.  Local mailbox a@mail.ru is unavailable: user not found
    Yandex: 550 5.7.1 No such user!
    QQ: 550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1
    QQ: 550 User not found: a@qq.com
    163: 550 User not found: a@163.com
    Zoho: 550 5.1.1 User does not exist - <a@b.test>
    iCloud: 550 5.1.1 <a@icloud.com>: user does not exist
    Proofpoint: 550 5.1.1 <a@b.test>... User unknown
    Mimecast: 550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550
    Barracuda: 550 No such user (a@b.test)
    a null MX: 556 5.1.10 Recipient address has null MX
    qmail with chkuser: 511 sorry, no mailbox here by that name (#5.1.1 - chkuser)
    Symantec: 550-Invalid recipient <a@b.test>\r\n550 (#5.1.1)
    Coremail: 550 RCPT (a@b.test) dosn't exist
    Sendmail: 550 5.1.2 <a@b.test>... Host unknown (Name server: b.test: host not found)
    Sendmail: 550 5.2.1 <a@b.test>... Mailbox disabled for this recipient
    Sun Messaging Server: 550 5.1.1 unknown or illegal alias: a@b.test
    Zimbra: 550 5.1.1 <a@b.test>: Recipient address rejected: b.test
    Comcast: 550 5.1.1 Not our Customer
    UOL: 550 5.1.1 <a@b.test>: Recipient address rejected: usuario desconhecido
    Libero: 550 5.1.1 mailbox not available, user disabled for inactivity
    Postfix: 550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in local recipient table
    Postfix: 550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in virtual mailbox table
    Postfix: 550 <a@b.test>: Recipient address rejected: User unknown in relay recipient table
    Postfix: 550 5.1.1 <a@b.test>: Recipient address rejected: undeliverable address: mailbox is unknown
    Exim: 550 Unrouteable address
    Exchange: 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
    Exchange: 550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [AM0.prod.protection.outlook.com]
    Gmail: 550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550-5.1.1 double-checking the recipient's email address for typos or\r\n550 5.1.1 unnecessary spaces. https://support.google.com/mail/?p=NoSuchUser
    Gmail: 550 5.2.1 The email account that you tried to reach is disabled. https://support.google.com/mail/?p=DisabledUser
    Yahoo: 552 1 Requested mail action aborted, mailbox not found
    qmail: 550 sorry, no mailbox here by that name (#5.1.1)
    GMX: 550-Requested action not taken: mailbox unavailable\r\n550 For explanation visit https://postmaster.gmx.net
  `,
  ...refusals('DATA', 'recipient')`
    Exchange Online: 550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient a@b.test not found by SMTP address lookup
    Exchange Online: 550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found
    Yahoo: 554 delivery error: dd Not a valid recipient - atlas.test
    Yahoo: 554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [0]
    Yahoo: 554 30 Sorry, your message to a@yahoo.com cannot be delivered. This mailbox is disabled (554.30).
  `,
];

const liveAddresses: readonly Row[] = [
  // Limits on how many messages a mailbox, a sender or a client may exchange.
  ...refusals('DATA', 'infrastructure')`
    Exchange Online: 550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour.
    Exchange Online: 550 5.2.121 Recipient's per hour message receive limit from specific sender exceeded.
    Exchange Online: 550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients
    Exchange Online: 550 5.2.14 something new
    Gmail: 550 5.4.5 Daily sending quota exceeded.
  `,
  ...refusals('RCPT TO', 'infrastructure')`
    Exchange Online: 550 5.2.999 The mailbox does not exist in a new way
    Exchange Online: 550 5.1.77 an invention
    Gmail: 550 5.2.1 The user you are trying to contact is receiving mail too quickly.
    QQ: 550 Domain frequency limited
    QQ: 550 Ip frequency limited. http://service.mail.qq.com/cgi-bin/help
    a greylist that answers 550: 550 Greylisted, please try again later
    Gmail: 550-5.2.1 The user you are trying to contact is receiving mail at a rate that\r\n550 5.2.1 prevents additional messages from being delivered.
  `,
  // A full mailbox.
  ...refusals('RCPT TO', 'mailbox_full')`
    Orange: 552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]
    Mail.ru: 552 Message was not accepted -- mailbox is full
    iCloud: 552 5.2.2 <a@icloud.com>: user is over quota
    Postfix: 552 5.2.2 <a@b.test>: Recipient address rejected: Mailbox is full
    Postfix: 552 <a@b.test>: Recipient address rejected: the account has used all it may
    Postfix: 550 4.2.2 <a@b.test>: Recipient address rejected: over quota
    Exim: 550 "The mailbox is full"
    Gmail: 552-5.2.2 The email account that you tried to reach is over quota. Please direct\r\n552 5.2.2 the recipient to clear space. https://support.google.com/mail/?p=OverQuotaPerm
  `,
  ...refusals('DATA', 'mailbox_full')`
    Yahoo: 552 5.2.2 The email account that you tried to reach is over quota
    Dovecot: 552 5.2.2 <a@b.test> Quota exceeded (mailbox for user is full)
    Exchange: 554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException
  `,
  ...refusals('RCPT TO', 'content')`
    Zoho: 552 5.2.3 mailbox is full
  `,
  // The sender: its address, its authentication, its reputation.
  ...refusals('DATA', 'policy')`
    Orange: 550 5.2.0 Mail rejete. Mail rejected. ofr_506 [506]
    Orange: 550 5.2.0 Mail rejete. Mail rejected. OFR_515 [515]
    La Poste: 550 5.5.0 Service refuse. Veuillez essayer plus tard. LPN007_510
    163: 554 DT:SPM 163 smtp5,jtKowAAnI4CgTxpb--.26S2 1528450981,please see http://mail.163.com/help/help_spam_16.htm
    Exchange Online: 550 5.7.509 Access denied, sending domain acme.test does not pass DMARC verification
    Exchange Online: 550 5.7.515 Access denied, sending domain does not meet the required authentication level.
    Exchange Online: 550 5.7.124 Sender not in allowed-senders list for group
    Exchange Online: 550 5.7.136 RESOLVER.RST.SenderNotAuthenticatedForMailUser
    Gmail: 550 5.7.25 The IP address sending this message does not have a PTR record
    Gmail: 550 5.7.26 Unauthenticated email from acme.test is not accepted due to domain’s DMARC policy.
    Gmail: 550 5.7.1 Our system has detected that this message is likely suspicious due to the very low reputation of the sending domain.
    Yahoo: 554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes
    Yahoo: 554 Message not allowed - [PH01] Email not accepted for policy reasons.
    GMX: 554-Transaction failed\r\n554-Reject due to policy restrictions.\r\n554 For explanation visit https://postmaster.gmx.net
    Yandex: 550 5.7.1 Policy rejection on the target address; see https://ya.cc/1
    iCloud: 554 5.7.1 [CS01] Message rejected due to local policy. https://support.apple.com/en-us/HT204137
    Mimecast: 550 Rejected by header based Anti-Spoofing policy: a@b.test
    Barracuda: 550 permanent failure for one or more recipients (a@b.test:blocked)
    Comcast: 550 5.2.0 Message rejected due to DMARC. Please see http://postmaster.comcast.net
    Exim: 550 Administrative prohibition
    Exchange: 550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required
    Exchange: 550 5.7.1 Client does not have permissions to send as this sender
    Gmail: 550-5.7.26 This mail has been blocked because the sender is unauthenticated.
    Mimecast: 554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554
  `,
  ...refusals('RCPT TO', 'content')`
    Orange: 550 mwinf5c04 ME Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102
  `,
  ...refusals('RCPT TO', 'policy')`
    Orange: 550 5.0.1 Emetteur invalide. Invalid Sender. OFR_415
    163: 550 MI:SPB 163 mx9,NcCowAB3 1396 http://mail.163.com/help/help_spam_16.htm
    QQ: 550 Mailbox unavailable or access denied
    QQ: 550 SPF check failed
    Free: 550 5.7.1 Mail from 192.0.2.1 is blacklisted
    Mimecast: 550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550
    Mimecast: 550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550
    Barracuda: 554 Service unavailable; Client host [mail.acme.test] blocked using Barracuda Reputation
    Postfix: 550 5.1.1 <a@b.test>: Recipient address rejected: blocked by reputation service
    Exim: 550 192.0.2.1 listed at spamhaus, see http://www.spamhaus.org
    Exim: 550 Listed in zen.spamhaus.org. https://www.spamhaus.org/query/ip/192.0.2.1
    Exim: 550 Rejected: 192.0.2.1 is listed at work.drbl.example.net
    Exim: 550 The sending IP (192.0.2.1) is listed on https://spamrl.com/. Please resolve this and retry.
    Barracuda: 550 rejecting spoofed message
    qmail: 553 VS10-RT Possible forgery or deactivated due to abuse (#5.1.1) 192.0.2.1
    Postfix: 554 5.7.1 <a@b.test>: Recipient address rejected: Access denied
    Postfix: 550 5.7.1 <a@b.test>: Recipient address rejected: Message rejected due to: SPF fail - not authorized. Please see http://www.openspf.net/Why?s=mfrom
    Postfix: 521 5.7.1 <a@b.test>: Recipient address rejected: not for you
    Postfix: 554 <a@b.test>: Recipient address rejected: Access denied
    Postfix: 554 5.7.1 <a@b.test>: Relay access denied
    Postfix: 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org; https://www.spamhaus.org/query/ip/192.0.2.1
    Postfix: 550 5.1.0 <us@c.test>: Sender address rejected: User unknown in local recipient table
    Postfix: 550 5.1.8 <us@c.test>: Sender address rejected: Domain not found
    Exim: 550-Verification failed for <us@c.test>\r\n550-No Such User Here\r\n550 Sender verify failed
    Exim: 550 relay not permitted
    Exim: 550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org
    Exchange: 550 5.7.64 TenantAttribution; Relay Access Denied
    Outlook.com: 550 5.7.606 Access denied, banned sending IP [192.0.2.1]
    qmail: 553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)
    Cisco: 550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.
    Sendmail: 550 5.7.1 <a@b.test>... Relaying denied. IP name lookup failed [192.0.2.1]
  `,
  ...refusals('MAIL FROM', 'policy')`
    163: 553 Requested action not taken: NULL sender is not allowed
    Exchange Online: 550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP.
    Exchange Online: 550 5.1.8 Access denied, bad outbound sender
    Outlook.com: 550 5.7.1 Unfortunately, messages from [192.0.2.1] were not sent: part of their network is on our block list (S3150).
    Yahoo: 553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed.
    GMX: 550-Requested action not taken: mailbox unavailable\r\n550 Sender address is not allowed.
    Outlook.com: 550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).
    Yahoo: 553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list
  `,
  ...refusals('DATA', 'content')`
    QQ: 550 Mail content denied. http://service.mail.qq.com/cgi-bin/help?subtype=1
  `,
  ...refusals('CONNECT', 'policy')`
    web.de: 554 Nemesis ESMTP Service not available. No SMTP service. Bad DNS PTR resource record.
    T-Online: 554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.) (BL)
    iCloud: 550 5.7.0 Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1
    Proofpoint: 554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1
  `,
  // The message.
  ...refusals('DATA', 'content')`
    T-Online: 550-5.7.0 Message considered as spam or virus, rejected\r\n550 5.7.0 Message rejected
    Mail.ru: 550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id
    Yandex: 554 5.7.1 [2] Message rejected under suspicion of SPAM; https://ya.cc/1
    Zoho: 550 5.7.1 Email cannot be delivered. Reason: Email detected as Spam by spam filters.
    Gmail: 552 5.7.0 This message was blocked because its content presents a potential security issue.
    Exchange Online: 550 5.6.11 Invalid characters in the message: bare line feeds
    Sina: 552 message rejected by anti-spam engine.
    Exim: 550 This message was classified as SPAM and may not be delivered
    Exchange: 550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient
    Exchange: 550 5.7.1 Message rejected as spam by Content Filtering.
    Gmail: 552-5.7.0 This message was blocked because its content presents a potential\r\n552 5.7.0 security issue. https://support.google.com/mail/?p=BlockedMessage
    Gmail: 550-5.7.1 [192.0.2.1] Our system has detected that this message is likely\r\n550 5.7.1 unsolicited mail. To reduce the amount of spam sent to Gmail, this message has been blocked.
    Gmail: 552 5.3.4 Your message exceeded Google's message size limits.
    qmail: 552 sorry, that message size exceeds my databytes limit (#5.3.4)
  `,
  ...refusals('MAIL FROM', 'content')`
    Postfix: 552 5.3.4 Message size exceeds fixed limit
    Exim: 552 Message size exceeds maximum permitted
  `,
  // A word about a user or an address, but not that the recipient's does not exist.
  ...refusals('RCPT TO', 'infrastructure')`
    Exchange: 550 5.2.0 RESOLVER.ADR.BadPrimary; recipient primary SMTP address is missing or invalid
  `,
  ...refusals('RCPT TO', 'recipient')`
    a directory that is away: 550 Recipient not found: LDAP directory lookup timed out
    a server that checks greetings: 550 Invalid HELO, user unknown to us
    a server that checks senders: 550 unknown user in MAIL FROM
    a server that checks senders: 550 Return path unknown: no such user
    a server that checks senders: 550 Bounce address: no such user
    a server that checks senders: 550 Your mailbox does not exist here
    Notes: 550 User x (x@b.test) not listed in public Name & Address Book
  `,
  ...refusals('RCPT TO', 'policy')`
    a server with a list of correspondents: 550 5.7.1 The user accepts no mail from unknown users
  `,
  // A listed code for the address beside words about something else.
  ...refusals('RCPT TO', 'recipient')`
    a user database that is away: 550 5.1.1 Recipient address rejected: User unknown (LDAP error 81)
    a proxy: 550 5.1.1 Mailbox server unavailable
    a closed door: 550 5.1.1 Recipient not accepting external mail
    a recipient filter: 550 5.1.1 Unknown user or rejected by domain setting
    a sender check: 550 5.1.1 <x@acme.test>: address does not exist (callback)
    a server that asks the next one: 550 5.1.1 Recipient address rejected: undeliverable address: connect to mx.b.test[192.0.2.9]:25: Connection refused
    a server that asks the next one: 550 5.1.1 Recipient address rejected: unverified address: Address verification in progress
    a server that asks the next one: 550 5.1.1 Recipient address rejected: Primary mail server unavailable
    a mailbox that moves: 550 5.1.1 Recipient address rejected: This mailbox is being moved to another server, please retry in an hour
    a server under maintenance: 550 5.1.1 Recipient address rejected: Mail system under maintenance
    Zimbra: 550 5.1.1 Recipient address rejected: account is in maintenance mode
    a directory that is away: 550 5.1.1 Mailbox lookup failure: database unavailable
    a server that puts off: 550 5.1.1 Recipient address rejected: Please come back later
    a server that asks for MX: 550 5.1.1 Domain acme.test has no valid MX record, mail refused
    a server that wants TLS: 550 5.1.1 Recipient requires TLS encryption
    a full mailbox in Spanish: 550 5.1.1 <a@b.test>: buzon lleno
    a full mailbox in German: 550 5.1.1 <a@b.test>: Recipient address rejected: Postfach ist voll
    Biglobe: 550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is restricted by our rules
  `,
  ...refusals('RCPT TO', 'content')`
    a server that knows us: 550 5.1.1 Your server sends too much unsolicited mail
  `,
  ...refusals('DATA', 'content')`
    Exchange: 550 5.2.1 Content Filter agent quarantined this message
  `,
  ...refusals('RCPT TO', 'infrastructure')`
    Exchange Online: 550 5.4.1 Recipient address rejected: Greylisted
    cPanel: 550 Domain acme.test has exceeded the max emails per hour (501/500).
  `,
  // Nothing that says who or what is refused.
  ...refusals('RCPT TO', 'recipient')`
    a server without words: 550
    a server in another language: 550 Отказано
    Cisco: 550 #5.1.0 Address rejected.
    NetEase: 550 User suspended
  `,
  ...refusals('RCPT TO', 'policy')`
    a server with an account for its sender: 525 5.7.13 User Account Disabled
  `,
  ...refusals('CONNECT', 'policy')`
    AOL: 521 5.2.1 (CON:B1) service unavailable
  `,
  // The session or the route.
  ...refusals('RCPT TO', 'infrastructure')`
    Postfix: 504 5.5.2 <mail>: Helo command rejected: need fully-qualified hostname
    Sendmail: 553 5.3.0 <a@b.test>... Spam blocked see: http://spamcop.net/bl.shtml?192.0.2.1
  `,
  ...refusals('DATA', 'infrastructure')`
    Exchange: 554 5.4.14 Hop count exceeded - possible mail loop ATTR34
  `,
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
