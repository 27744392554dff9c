import { parseTagList } from './tag-list.ts';

export type DkimComparison = 'same' | 'truncated' | 'revoked' | 'testing' | 'different' | 'notAKey';

/** Whether a published key record (RFC 6376 section 3.6.1) lets verifiers accept what the expected key signs. */
export function compareDkimKey(expected: string, published: string): DkimComparison {
  const wanted = parseTagList(expected);
  const tags = parseTagList(published);
  const wantedKey = wanted?.get('p');
  // An expected record that is no key can only be compared as text.
  if (wanted === undefined || wantedKey === undefined) {
    return expected.trim() === published.trim() ? 'same' : 'different';
  }
  const key = tags?.get('p');
  if (tags === undefined || key === undefined) return 'notAKey';
  if (!allowsOurSignatures(tags, wanted)) return 'different';
  const [expectedText, publishedText] = [withoutWhitespace(wantedKey), withoutWhitespace(key)];
  if (publishedText === '') return 'revoked';
  if (!isReadable(published)) return 'notAKey';
  if (sameBytes(expectedText, publishedText)) return isTesting(tags) && !isTesting(wanted) ? 'testing' : 'same';
  return expectedText.startsWith(publishedText) ? 'truncated' : 'different';
}

/** Whether a value is a key record, or was meant as one. */
export function looksLikeDkimKey(value: string): boolean {
  return /(?:^|[;\s"'])(?:v\s*=\s*DKIM1|[pk]\s*=)/i.test(value);
}

function allowsOurSignatures(tags: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): boolean {
  // RFC 6376 wants v= first; OpenDKIM and dkimpy accept it anywhere.
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1') return false;
  if ((tags.get('k') ?? 'rsa') !== (wanted.get('k') ?? 'rsa')) return false;
  // An empty list allows nothing. Some verifiers ignore the case of hashes, others do not (RFC 6376 section 3.2).
  if (tags.has('h') && !words(tags.get('h')).includes('sha256')) return false;
  const services = words(tags.get('s') ?? '*');
  return services.includes('*') || services.includes('email');
}

function isTesting(tags: ReadonlyMap<string, string>): boolean {
  return words(tags.get('t')?.toLowerCase()).includes('y');
}

function words(list: string | undefined): readonly string[] {
  return (list ?? '')
    .split(':')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** OpenDKIM accepts printable ASCII and ASCII whitespace in tags, and no key from a record with anything else (RFC 6376 section 3.2). */
function isReadable(record: string): boolean {
  return /^[\t-\r -~]*$/.test(record);
}

function withoutWhitespace(text: string): string {
  // Verifiers ignore only the whitespace of RFC 6376 section 2.8; any other breaks the key.
  return text.replace(/[ \t\r\n]+/g, '');
}

function sameBytes(left: string, right: string): boolean {
  // Buffer skips invalid characters and incomplete bytes; verifiers do not. They accept surplus padding, but not too little.
  const [digits, padding] = /^([A-Za-z0-9+/]+)(={0,2})$/.exec(right)?.slice(1) ?? [];
  if (digits === undefined || padding === undefined) return false;
  const missing = -digits.length & 3;
  return missing < 3 && padding.length >= missing && Buffer.from(left, 'base64').equals(Buffer.from(right, 'base64'));
}
