import MailComposer from 'nodemailer/lib/mail-composer';
import { mailbox, optionalText, unstructuredText } from './header-text.ts';
import { signMessage, type SigningKey } from './sign-message.ts';

export interface EmailToCompose {
  readonly from: { readonly address: string; readonly name: string | undefined };
  /** The addresses of these header fields; of an empty list there is none. */
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string | undefined;
  /** The caller's fields, validated when the email was accepted. */
  readonly headers: Readonly<Record<string, string>>;
  /** With its angle brackets. */
  readonly messageId: string;
  /** The Date field: when the email was accepted, or is to leave, not when it is sent. */
  readonly date: Date;
}

/**
 * The signed message, RFC 5322 and MIME: only ASCII, only CRLF line ends, no line over 998 octets. Every server forwards
 * such bytes unchanged without 8BITMIME, and no lone CR or LF can pass for the end of the message.
 */
export async function composeMessage(email: EmailToCompose, key: SigningKey): Promise<string> {
  const given = Object.entries(email.headers).filter(([, value]) => value.trim() !== '');
  const composed = given.filter(([name]) => COMPOSED.has(name.toLowerCase()));
  const composer = new MailComposer({
    to: email.to.map((address) => ({ name: '', address })),
    ...(email.cc.length === 0 ? {} : { cc: email.cc.map((address) => ({ name: '', address })) }),
    text: withLineFeeds(email.text),
    ...(email.html === undefined ? {} : { html: withLineFeeds(email.html) }),
    headers: Object.fromEntries(composed),
    messageId: email.messageId,
    date: email.date,
    newline: 'win',
    // Nodemailer must never read an email's text from a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const fields = [
    ['From', mailbox('From', email.from.name, email.from.address)],
    ['Subject', unstructuredText('Subject', email.subject)],
    ...given.filter((each) => !composed.includes(each)).map(([name, value]) => [name, optionalText(name, value)]),
  ];
  const header = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const message = header + (await composer.compile().build()).toString('latin1');
  return signMessage(message, key, email.date);
}

/** Lists of addresses and message ids, which the composer encodes correctly; it would alter other fields. */
const COMPOSED = new Set(['reply-to', 'references', 'in-reply-to']);

const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');
