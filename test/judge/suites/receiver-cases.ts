/** A configuration of Postfix's smtpd: the options of its line in master.cf. */
export interface ReceiverCase {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
  /** @default person@inbox.test, which has a mailbox */
  readonly recipient?: string;
  /** Octets of the message's body. @default a few */
  readonly size?: number;
  /** Its certificate, while the sending domain requires TLS; `none`: it offers no STARTTLS. @default TLS is not required */
  readonly certificate?: 'valid' | 'of another name' | 'expired' | 'none';
}

const AT_ONCE = { smtpd_delay_reject: 'no' };
const recipients = (answer: string) => ({
  smtpd_recipient_restrictions: `check_recipient_access inline:{{inbox.test=${answer}}}`,
});
const senders = (answer: string) => ({
  ...AT_ONCE,
  smtpd_sender_restrictions: `check_sender_access inline:{{bounce.acme.test=${answer}}}`,
});
const hellos = (answer: string) => ({
  ...AT_ONCE,
  smtpd_helo_restrictions: `check_helo_access inline:{{mail.sendoff.test=${answer}}}`,
});
const clients = (answer: string) => ({
  ...AT_ONCE,
  smtpd_client_restrictions: `check_client_access inline:{{127.0.0.1=${answer}}}`,
});
const atData = (answer: string) => ({
  smtpd_data_restrictions: `check_sender_access inline:{{bounce.acme.test=${answer}}}`,
});
const atEnd = (answer: string) => ({
  smtpd_end_of_data_restrictions: `check_sender_access inline:{{bounce.acme.test=${answer}}}`,
});
const UNKNOWN = 'nobody@inbox.test';

export const receiverCases: readonly ReceiverCase[] = [
  { name: 'takes everything', options: {} },
  { name: 'TLS required, with a valid certificate', options: {}, certificate: 'valid' },
  { name: 'TLS required, with a certificate of another name', options: {}, certificate: 'of another name' },
  { name: 'TLS required, with an expired certificate', options: {}, certificate: 'expired' },
  { name: 'TLS required, without STARTTLS', options: {}, certificate: 'none' },
  { name: 'takes a large message', options: {}, size: 1_000_000 },
  { name: 'without PIPELINING', options: { smtpd_discard_ehlo_keywords: 'pipelining' } },
  { name: 'without SIZE and 8BITMIME', options: { smtpd_discard_ehlo_keywords: 'size,8bitmime' } },
  { name: 'recipient unknown', options: {}, recipient: UNKNOWN },
  { name: 'recipient unknown, 521', options: { unknown_virtual_mailbox_reject_code: '521' }, recipient: UNKNOWN },
  { name: 'recipient unknown, 450', options: { unknown_virtual_mailbox_reject_code: '450' }, recipient: UNKNOWN },
  { name: 'recipient unknown, soft bounce', options: { soft_bounce: 'yes' }, recipient: UNKNOWN },
  { name: 'recipient of another domain', options: {}, recipient: 'person@elsewhere.test' },
  { name: 'recipient refused by policy', options: recipients('REJECT') },
  { name: 'recipient refused, 521', options: recipients('521 5.7.1 go away') },
  { name: 'recipient refused, 550 without a code', options: recipients('550 go away') },
  { name: 'recipient over quota', options: recipients('552 5.2.2 over quota') },
  { name: 'recipient over quota for now', options: recipients('452 4.2.2 over quota') },
  { name: 'recipient greylisted', options: recipients('450 4.7.1 greylisted') },
  { name: 'recipient deferred with 421', options: recipients('421 4.7.0 too much mail') },
  { name: 'sender refused', options: senders('REJECT') },
  { name: 'sender refused, 521', options: senders('521 5.7.1 go away') },
  { name: 'sender put off', options: senders('450 4.7.1 later') },
  { name: 'EHLO refused', options: hellos('550 5.7.1 not you') },
  { name: 'EHLO refused, 521', options: hellos('521 5.7.1 not you') },
  { name: 'EHLO put off', options: hellos('450 4.7.1 later') },
  { name: 'client refused', options: clients('554 5.7.1 not you') },
  { name: 'client refused, 521', options: clients('521 5.7.1 not you') },
  { name: 'client put off', options: clients('450 4.7.1 later') },
  { name: 'DATA refused', options: atData('550 5.7.1 no data') },
  { name: 'DATA refused, 521', options: atData('521 5.7.1 no data') },
  { name: 'DATA put off', options: atData('451 4.7.1 later') },
  { name: 'message refused', options: atEnd('550 5.7.1 looks like spam') },
  { name: 'message refused, 521', options: atEnd('521 5.7.1 looks like spam') },
  { name: 'message put off', options: atEnd('451 4.7.1 later') },
  { name: 'message larger than announced', options: { message_size_limit: '2000' }, size: 10_000 },
  {
    name: 'message larger than said',
    options: { message_size_limit: '2000', smtpd_discard_ehlo_keywords: 'size' },
    size: 10_000,
  },
];
