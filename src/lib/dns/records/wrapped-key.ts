import { compareDkimKey } from './dkim-key.ts';
import { trimFoldingWhitespace, unquoted, withoutWhitespace } from './folding-whitespace.ts';
import { parseTagList } from './tag-list.ts';

/** What can be around or inside the right key so that verifiers do not accept it. */
export type KeyWrapping =
  | 'surrounded'
  | 'zoneLine'
  | 'quoted'
  | 'whitespace'
  | 'reordered'
  | 'escaped'
  | 'pem'
  | 'bareKey'
  | 'upperCase'
  | 'repeatedTag'
  | 'hash'
  | 'service'
  | 'keyType';

/** Removes each wrapping; one may be inside another that comes earlier. */
const unwraps: Readonly<Record<KeyWrapping, (value: string, expected: string) => string>> = {
  // First, because the others say more precisely what was added.
  surrounded(value, expected) {
    const key = parseTagList(expected)?.get('p');
    if (key === undefined || key === '') return value;
    const digits = withoutWhitespace(key).split('=', 1)[0] ?? '';
    const holdsKey = (part: string): boolean => /^\s*p\s*=/.test(part) && withoutWhitespace(part).includes(digits);
    return value
      .replace(/[^\t\r\n -~]+/g, '')
      .split(';')
      .map((part) => (holdsKey(part) ? `p=${key}` : part))
      .join(';');
  },
  zoneLine(value) {
    const at = /\sTXT[\s(]/i.exec(value)?.index;
    if (at === undefined) return value;
    const data = value.slice(at + 4);
    const strings = data.match(/"[^"]*"/g);
    return strings === null ? data.replace(/[()]/g, '') : strings.map((text) => text.slice(1, -1)).join('');
  },
  quoted: unquoted,
  reordered(value) {
    const start = value.indexOf('v=DKIM1');
    return start > 0 ? value.slice(start) + value.slice(0, start) : value;
  },
  escaped: (value) => value.replaceAll('\\;', ';'),
  pem: (value) => value.replace(/-----(?:BEGIN|END) [A-Z ]{1,30}-----/g, ''),
  whitespace: withoutWhitespace,
  bareKey: (value) => (/^[A-Za-z0-9+/\s]{40,}={0,2}$/.test(value.trim()) ? `p=${value}` : value),
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
        const isNew = !seen.has(name);
        seen.add(name);
        return isNew;
      })
      .join(';');
  },
  hash: (value) => withoutTag(value, 'h'),
  service: (value) => withoutTag(value, 's'),
  keyType: (value) => withoutTag(value, 'k'),
};

/** The wrappings whose removal gives the expected key; none when the value is another key, or right as it is. */
export function wrappingsOf(expected: string, published: string): readonly KeyWrapping[] {
  const isRightWithout = (wrappings: readonly KeyWrapping[]): boolean =>
    compareDkimKey(
      expected,
      wrappings.reduce((value, wrapping) => unwraps[wrapping](value, expected), published),
    ) === 'same';
  const all = Object.keys(unwraps) as KeyWrapping[];
  if (isRightWithout([]) || !isRightWithout(all)) return [];
  return all.reduce<readonly KeyWrapping[]>((needed, wrapping) => {
    const others = needed.filter((one) => one !== wrapping);
    return isRightWithout(others) ? others : needed;
  }, all);
}

/** The key after the first `p=`, without padding. */
const keyIn = (text: string): string | undefined => /(?:^|;)p=([^;=]*)/.exec(withoutWhitespace(text))?.[1];

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

const withoutTag = (value: string, name: string): string =>
  value
    .split(';')
    .filter((part) => part.split('=', 1)[0]?.trim() !== name)
    .join(';');
