/**
 * What a body says if it is a symlink as raw hosts serve it: `escapes` leads out of the repository.
 *
 * `isGuess`: the body may as well be a word that stands alone, so only a file at its target makes it a symlink.
 */
export type SymlinkText = { readonly leadsTo: string; readonly isGuess?: true } | 'escapes' | null;

const LINK_BYTES_MAX = 255;
/** A file that a person would link to by this name, so that one which is not there is a broken link. */
const NAMED_FILE = /^[^\s@:<>#*[\]()][^\s]*\.(?:mdc?|mdx|markdown|txt|rst|adoc)$/i;
/** Any other name that repositories use: `.rules`, `.cursor/rules`, `docs/AGENTS`. */
const ANY_NAME = /^(?!@)[\p{L}\p{M}\p{N}._/+~@-]+$/u;

/**
 * Raw hosts serve a symlink as its target's path. Git stores no line end behind it, so a line that ends is a file.
 *
 * @param path where the body was found, from the repository's root: targets are relative to its folder
 * @param guessCharactersMax longer bodies without a file's name are text
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

/** Whether the text can be nothing but a symlink. */
export const isCertainSymlink = (symlink: SymlinkText): boolean =>
  symlink === 'escapes' || (symlink !== null && symlink.isGuess !== true);
