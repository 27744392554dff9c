/**
 * A file's text read as a symlink; `escapes` if its target is outside the repository, null if it is not a symlink.
 *
 * `isGuess`: it may also be a single word of text, so it is a symlink only if its target exists.
 */
export type SymlinkText = { readonly leadsTo: string; readonly isGuess?: true } | 'escapes' | null;

const LINK_BYTES_MAX = 255;
/** A name that is a broken link, not a text, if no such file exists. */
const NAMED_FILE = /^[^\s@:<>#*[\]()][^\s]*\.(?:mdc?|mdx|markdown|txt|rst|adoc)$/i;
/** Any other file name in a repository: `.rules`, `.cursor/rules`, `docs/AGENTS`. */
const ANY_NAME = /^(?!@)[\p{L}\p{M}\p{N}._/+~@-]+$/u;

/**
 * Raw hosts serve a symlink as the path of its target. Git stores no line end after it: a text with one is a file.
 *
 * @param path of the file, from the repository's root: targets are relative to its folder
 * @param guessCharactersMax a longer text that is not a file name is no symlink
 */
export function symlinkText(body: string, path: string, guessCharactersMax: number): SymlinkText {
  if (body.length > LINK_BYTES_MAX || new TextEncoder().encode(body).length > LINK_BYTES_MAX) return null;
  if (body.includes('://')) return null;
  const isNamed = NAMED_FILE.test(body);
  if (!isNamed && (body.length > guessCharactersMax || !ANY_NAME.test(body) || !/[^./]/.test(body))) return null;
  const segments = path.split('/').slice(0, -1);
  if (body.startsWith('/')) return 'escapes';
  for (const segment of body.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return 'escapes';
    } else if (segment !== '.' && segment !== '') {
      segments.push(segment);
    }
  }
  if (segments.length === 0) return 'escapes';
  return { leadsTo: segments.join('/'), ...(isNamed ? {} : { isGuess: true }) };
}

/** Why a symlink's target cannot be read. */
export const brokenLinkDetails = {
  outside: 'its target is outside the repository',
  itself: 'it points to itself',
  missing: (target: string) => `${target} does not exist`,
  chained: (target: string) => `${target} is also a symlink, and the check follows only one`,
} as const;

/** Whether the text can be nothing but a symlink. */
export const isCertainSymlink = (symlink: SymlinkText): boolean =>
  symlink === 'escapes' || (symlink !== null && symlink.isGuess !== true);
