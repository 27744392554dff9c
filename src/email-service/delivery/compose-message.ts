import MailComposer from 'nodemailer/lib/mail-composer';
import { randomBytes } from 'node:crypto';
import type { EmailAttachment } from '../resources/email.ts';
import { type AttachedContents, contentMark } from './attached-contents.ts';
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
  readonly attached?: { readonly files: readonly EmailAttachment[]; readonly contents: AttachedContents } | undefined;
  /** With its angle brackets. */
  readonly messageId: string;
  /** The Date field: when the email was accepted, or is to leave, not when it is sent. */
  readonly date: Date;
}

/**
 * The signed message, RFC 5322 and MIME: only ASCII, only CRLF line ends, no line over 998 octets. Every server forwards
 * such bytes unchanged without 8BITMIME, and no lone CR or LF can pass for the end of the message. Marks stand for the contents of
 * attachments, over which it is signed nevertheless.
 */
export async function composeMessage(email: EmailToCompose, key: SigningKey): Promise<string> {
  const given = Object.entries(email.headers).filter(([, value]) => value.trim() !== '');
  const composed = given.filter(([name]) => COMPOSED.has(name.toLowerCase()));
  // One line of base64 each, that no text can have: it is random, and nothing keeps it.
  const places = (email.attached?.files ?? []).map((file) => ({ file, content: randomBytes(LINE_BYTES) }));
  const composer = new MailComposer({
    to: email.to.map((address) => ({ name: '', address })),
    ...(email.cc.length === 0 ? {} : { cc: email.cc.map((address) => ({ name: '', address })) }),
    text: withLineFeeds(email.text),
    ...(email.html === undefined ? {} : { html: withLineFeeds(email.html) }),
    attachments: places.map(({ file, content }) => ({
      filename: file.filename,
      contentType: file.content_type,
      ...(file.content_id === undefined ? {} : { cid: file.content_id }),
      content,
    })),
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
  const marked = places.reduce((text, { content, file }, index) => {
    const parts = text.split(content.toString('base64'));
    if (parts.length !== 2)
      throw new Error(`The composer did not place the attachment ${String(index)}, ${file.content_type}.`);
    return parts.join(contentMark(index));
  }, message);
  return signMessage(marked, key, email.date, email.attached?.contents);
}

const LINE_BYTES = 57;

/** Lists of addresses and message ids, which the composer encodes correctly; it would alter other fields. */
const COMPOSED = new Set(['reply-to', 'references', 'in-reply-to']);

const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');
