/** What a body says if it is a symlink as raw hosts serve it: `escapes` leads out of the repository. */
export type SymlinkText = { readonly leadsTo: string } | 'escapes' | null;

const LINK_BYTES_MAX = 255;

/**
 * Raw hosts serve a symlink as its target's path. Git stores no line end behind it, so a line that ends is a file.
 *
 * @param path where the body was found, from the repository's root: targets are relative to its folder
 */
export function symlinkText(body: string, path: string): SymlinkText {
  if (body.length > LINK_BYTES_MAX || new TextEncoder().encode(body).length > LINK_BYTES_MAX) return null;
  if (!/^[^\s@:<>#*[\]()]\S*\.(?:md|txt)$/i.test(body) || body.includes('://')) return null;
  const segments = path.split('/').slice(0, -1);
  if (body.startsWith('/')) return 'escapes';
  for (const segment of body.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return 'escapes';
    } else if (segment !== '.' && segment !== '') {
      segments.push(segment);
    }
  }
  return segments.length === 0 ? 'escapes' : { leadsTo: segments.join('/') };
}
