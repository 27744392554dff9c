import { createHash, type KeyLike, sign } from 'node:crypto';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type AttachedContents, inPieces } from './attached-contents.ts';

/**
 * Signed if present. `From` is listed twice, so that adding a second From header breaks the signature (RFC 6376
 * section 8.15). The known libraries cannot list a field more often than it occurs, which is why we sign here; the tests
 * verify with mailauth.
 */
const SIGNED_FIELDS = [
  'From',
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'Reply-To',
  'In-Reply-To',
  'References',
  // One-click unsubscribe requires both to be signed (RFC 8058 section 4).
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'List-Id',
];
const ALWAYS_LISTED = 'From';

const BASE64_LINE_LENGTH = 72;

/** A signature takes a millisecond of CPU, in which no request would be answered. */
const signInThreadPool = promisify(sign);

export interface SigningKey {
  readonly domain: string;
  readonly selector: string;
  /** RSA, PEM or parsed. */
  readonly privateKey: KeyLike;
}

/**
 * Prepends a DKIM-Signature (RFC 6376, rsa-sha256, relaxed/relaxed).
 * @param message RFC 5322 with CRLF line ends; ASCII only, so that no relay has a reason to re-encode it
 * @param contents of a message with marks
 */
export async function signMessage(
  message: string,
  key: SigningKey,
  signedAt: Date,
  contents?: AttachedContents,
): Promise<string> {
  const headerEnd = message.indexOf('\r\n\r\n');
  const fields = parseFields(message.slice(0, headerEnd));
  const body = message.slice(headerEnd + 4);
  const present = new Set(fields.map((field) => field.name));
  const listed = SIGNED_FIELDS.filter((name) => name === ALWAYS_LISTED || present.has(name.toLowerCase()));

  const unsigned = [
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;',
    ` d=${key.domain}; s=${key.selector};`,
    ` t=${String(Math.floor(signedAt.getTime() / 1_000))};`,
    ` h=${listed.join(':\r\n  ')};`,
    ` bh=${await bodyHash(body, contents)};`,
    ' b=',
  ].join('\r\n');
  const signed =
    relaxedFields(fields, listed) + relaxedField('dkim-signature', unsigned.slice(unsigned.indexOf(':') + 1));
  const signature = await signInThreadPool('RSA-SHA256', Buffer.from(signed), key.privateKey);
  const folded =
    signature
      .toString('base64')
      .match(new RegExp(`.{1,${String(BASE64_LINE_LENGTH)}}`, 'g'))
      ?.join('\r\n  ') ?? '';
  return `${unsigned}${folded}\r\n${message}`;
}

/** The selector of a message that `signMessage` returned. */
export const selectorOf = (signed: string): string | undefined =>
  /^DKIM-Signature: [^]*?; s=([^;]+);/.exec(signed)?.[1];

interface Field {
  /** Lower case. */
  readonly name: string;
  readonly value: string;
}

function parseFields(header: string): Field[] {
  return header.split(/\r\n(?![ \t])/).map((line) => {
    const colon = line.indexOf(':');
    return { name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1) };
  });
}

/** RFC 6376 section 5.4.2: of repeated fields the lowest first; an absent field adds nothing. */
function relaxedFields(fields: readonly Field[], listed: readonly string[]): string {
  const left = [...fields];
  let canonical = '';
  for (const name of listed) {
    const index = left.findLastIndex((field) => field.name === name.toLowerCase());
    const [field] = index === -1 ? [] : left.splice(index, 1);
    if (field !== undefined) canonical += `${relaxedField(field.name, field.value)}\r\n`;
  }
  return canonical;
}

/** RFC 6376 section 3.4.2. */
const relaxedField = (name: string, value: string): string =>
  `${name}:${value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '')}`;

/** RFC 6376 section 3.7. Contents in base64 are canonical as they are. */
async function bodyHash(body: string, contents: AttachedContents | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of inPieces(body, contents, relaxedBody)) {
    hash.update(piece, 'latin1');
    if (contents !== undefined) await nextLoopTurn();
  }
  return hash.digest('base64');
}

/** RFC 6376 section 3.4.4. @param isLast whether the body ends with this part of it */
function relaxedBody(part: string, isLast: boolean): string {
  const lines = part.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  if (!isLast) return lines.join('\r\n');
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}
