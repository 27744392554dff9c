import { compareDkimKey, type DkimComparison } from './dkim-key.ts';
import { decoded, unescaped, withoutBrackets, withoutLabel, withoutZoneLine, withSeparators } from './damaged-text.ts';
import { trimFoldingWhitespace, unquoted, withoutWhitespace } from './folding-whitespace.ts';
import { damageOf, keyCharacters, type KeyDamage } from './key-damage.ts';
import { parseTagList } from './tag-list.ts';

type Unwrap = (value: string, expected: string) => string;

/** Removes each wrapping, from the outside to the inside. */
const unwraps = {
  encoded: decoded,
  zoneLine: withoutZoneLine,
  brackets: withoutBrackets,
  label: withoutLabel,
  quoted: unquoted,
  reordered(value) {
    const start = value.indexOf('v=DKIM1');
    return start > 0 ? value.slice(start) + value.slice(0, start) : value;
  },
  escaped: unescaped,
  pem: (value) => value.replace(/-----(?:BEGIN|END) [A-Z ]{1,30}-----/g, ''),
  separators: withSeparators,
  whitespace: withoutWhitespace,
  bareKey: (value, expected) =>
    /^[A-Za-z0-9+/\s]{40,}={0,2}$/.test(value.trim()) ||
    (!/p\s?[=:\uff1a\uff1d\ufe66](?![=\s]*$)/i.test(value) && holdsKey(value, expected))
      ? `p=${value}`
      : value,
  upperCase: (value) =>
    mapTags(value, (name, content) => {
      const lower = name.toLowerCase();
      if (lower === 'v') return `v=${content.toUpperCase()}`;
      return `${lower}=${lower === 'p' ? content : content.toLowerCase()}`;
    }),
  repeatedTag(value, expected) {
    const seen = new Set<string>();
    const parts = value.split(';');
    const key = keyIn(expected);
    const right = parts.find((part) => keyIn(part) === key);
    return parts
      .map((part) => (right !== undefined && keyIn(part) !== undefined ? right : part))
      .filter((part) => {
        const name = part.split('=', 1)[0]?.trim() ?? '';
        const isNew = name === '' || !seen.has(name);
        seen.add(name);
        return isNew;
      })
      .join(';');
  },
  version: (value) => (tagOf(value, 'v') === 'DKIM1' ? value : withoutTag(value, 'v')),
  hash: (value) => withoutTag(value, 'h'),
  service: (value) => withoutTag(value, 's'),
  keyType: (value) => withoutTag(value, 'k'),
  surrounded(value, expected) {
    const parts = value.replace(/[^\t\r\n -~]+/g, '').split(';');
    const at = parts.findIndex((part) => /^\s*p\s*=/.test(part));
    if (at === -1) return value;
    const key = `p=${keyTagOf(expected)}`;
    const isTag = (part: string): boolean => parseTagList(part) !== undefined;
    if (holdsKey(parts[at] ?? '', expected))
      return parts
        .map((part, one) => (one === at ? key : part))
        .filter(isTag)
        .join(';');
    // A semicolon is inside the key.
    return holdsKey(parts.slice(at).join(''), expected) ? [...parts.slice(0, at).filter(isTag), key].join(';') : value;
  },
  // All letters and digits are right: `+`, `/` and `=` were lost, or replaced as in URLs.
  signs: (value, expected) =>
    mapTags(value, (name, content) => {
      const isRight = name === 'p' && lettersOf(content) === lettersOf(keyTagOf(expected));
      return `${name}=${isRight ? keyTagOf(expected) : content}`;
    }),
} satisfies Readonly<Record<string, Unwrap>>;

/** What can be around or inside the right key so that verifiers do not accept it. */
export type KeyWrapping = keyof typeof unwraps;

const outward = (Object.keys(unwraps) as KeyWrapping[]).reverse();
/** The wrappings that say least about the cause are the first that need not be named. */
const leastSaidFirst: readonly KeyWrapping[] = [...new Set(['signs', 'separators', 'surrounded', ...outward] as const)];

/** Why verifiers do not accept a published key. */
export interface KeyExplanation extends KeyDamage {
  /** The wrappings of the key; once they are removed, `kind` applies. */
  readonly wrappings: readonly KeyWrapping[];
}

const explained: readonly DkimComparison[] = ['same', 'testing', 'truncated', 'revoked'];

/** Removes what can be around a key, then compares what is left with the expected one. */
export function explainKey(expected: string, published: string): KeyExplanation {
  const without = (wrappings: readonly KeyWrapping[]): string =>
    Object.entries<Unwrap>(unwraps).reduce(
      (value, [wrapping, unwrap]) => (wrappings.includes(wrapping as KeyWrapping) ? unwrap(value, expected) : value),
      published,
    );
  const compare = (wrappings: readonly KeyWrapping[]): DkimComparison => compareDkimKey(expected, without(wrappings));
  // Codes and backslashes may also be characters of the key.
  const attempts = [[], leastSaidFirst, ...(['encoded', 'escaped'] as const).map((one) => allBut(one))].map(
    (wrappings) => ({ wrappings, kind: compare(wrappings) }),
  );
  // The rest of a key may look like the name of a tag.
  const attempt = explained.map((kind) => attempts.find((one) => one.kind === kind)).find((one) => one !== undefined);
  const right = keyCharacters(keyTagOf(expected));
  const bare = without(leastSaidFirst);
  const found = keyCharacters(keyIn(bare) ?? bare);
  // A placeholder such as `<key>` is not the empty key of a revocation.
  if (attempt === undefined || (attempt.kind === 'revoked' && found + keyCharacters(keyIn(published) ?? '') !== '')) {
    // Where nothing names what is around it, the right key is still in it.
    if (holdsKey(published, expected) || holdsKey(bare, expected))
      return { kind: 'surrounded', foundCharacters: right.length, characters: right.length, wrappings: [] };
    // A semicolon begins a comment in a zone file, where the value lacks quotation marks.
    if (keyIn(bare) === undefined && tagOf(bare, 'v') === 'DKIM1')
      return { kind: 'truncated', foundCharacters: 0, characters: right.length, wrappings: [] };
    return { ...damageOf(right, found), wrappings: [] };
  }
  const kind = attempt.kind as KeyDamage['kind'];
  const wrappings = attempt.wrappings.reduce((needed, wrapping) => {
    const others = needed.filter((one) => one !== wrapping);
    return compare(others) === kind ? others : needed;
  }, attempt.wrappings);
  return { kind, foundCharacters: found.length, characters: right.length, wrappings };
}

const allBut = (wrapping: KeyWrapping): readonly KeyWrapping[] => leastSaidFirst.filter((one) => one !== wrapping);

/** Whether a text was meant as the expected key: the whole of it, or its beginning. */
export function isMeantAsKey(expected: string, published: string): boolean {
  const { kind, foundCharacters } = explainKey(expected, published);
  return foundCharacters > 0 && ['same', 'testing', 'truncated'].includes(kind);
}

const keyTagOf = (record: string): string => parseTagList(record)?.get('p') ?? '';

/** The key after the first `p=`, without padding. */
const keyIn = (text: string): string | undefined => /(?:^|;)p=([^;=]*)/.exec(withoutWhitespace(text))?.[1];

function holdsKey(text: string, expected: string): boolean {
  const digits = keyCharacters(keyTagOf(expected));
  return digits !== '' && keyCharacters(text).includes(digits);
}

const lettersOf = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, '');

function mapTags(value: string, change: (name: string, content: string) => string): string {
  return value
    .split(';')
    .map((part) => {
      const at = part.indexOf('=');
      return at === -1
        ? part
        : change(trimFoldingWhitespace(part.slice(0, at)), trimFoldingWhitespace(part.slice(at + 1)));
    })
    .join(';');
}

const tagOf = (value: string, name: string): string | undefined =>
  value
    .split(';')
    .map((part) => part.split('=', 2).map((text) => text.trim()))
    .find(([one]) => one === name)?.[1];

const withoutTag = (value: string, name: string): string =>
  value
    .split(';')
    .filter((part) => part.split('=', 1)[0]?.trim() !== name)
    .join(';');
