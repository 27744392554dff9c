import { decodeFile } from './decode-file.ts';
import { ContentClass, type FileMeasurement, VISIBLE_CODE_POINTS_NEEDED } from './file-measurement.ts';
import { isPointer } from './is-pointer.ts';
import { readMarkdown } from './read-markdown.ts';
import { isCertainSymlink, symlinkText, type SymlinkText } from './symlink-text.ts';
import { codePointsOf, visibleCharacters } from './visible-characters.ts';

export interface MeasuredFile {
  readonly measurement: FileMeasurement;
  /** If set, the measurement is meaningless. */
  readonly notText: 'NUL characters' | 'an HTML page' | null;
  readonly symlink: SymlinkText;
  /** Files a pointer names, such as `CLAUDE.md`. */
  readonly namedFiles: readonly string[];
  /** The first visible characters. */
  readonly excerpt: string;
}

const EXCERPT_CODE_POINTS = 120;
/** The first line of every Git LFS pointer file. */
const LFS_FIRST_LINE = 'version https://git-lfs.github.com/spec/v1';

/**
 * Measures a file that may be an AGENTS.md.
 *
 * @param truncated the bytes are only the beginning of the file
 * @param path where the file lies in its repository, from its root
 */
export function measureFile(bytes: Uint8Array, truncated: boolean, path = 'AGENTS.md'): MeasuredFile {
  const { text, encoding } = decodeFile(bytes, truncated);
  const { visible, headings } = readMarkdown(text);
  const visibleCodePoints = visibleCharacters(visible);
  const symlink = truncated ? null : symlinkText(text, path, VISIBLE_CODE_POINTS_NEEDED - 1);
  const contentClass = classOf(visible, visibleCodePoints, symlink);
  return {
    measurement: {
      codePoints: codePointsOf(text),
      visibleCodePoints,
      bytes: bytes.length,
      threshold: VISIBLE_CODE_POINTS_NEEDED,
      contentClass,
      encoding,
      truncated,
      headings,
    },
    notText: notTextReason(text),
    symlink,
    namedFiles: contentClass === ContentClass.pointer ? filesNamedIn(visible) : [],
    excerpt: Array.from(visible.slice(0, EXCERPT_CODE_POINTS * 2))
      .slice(0, EXCERPT_CODE_POINTS)
      .join(''),
  };
}

function classOf(visible: string, visibleCodePoints: number, symlink: SymlinkText): ContentClass {
  // Its real content was not read.
  if (visible.startsWith(LFS_FIRST_LINE)) return ContentClass.lfsPointer;
  // A symlink counts as broken until its target is read; a guess counts as text.
  if (isCertainSymlink(symlink)) return ContentClass.brokenLink;
  if (visibleCodePoints >= VISIBLE_CODE_POINTS_NEEDED) return ContentClass.content;
  if (visibleCodePoints === 0) return ContentClass.empty;
  return isPointer(visible) ? ContentClass.pointer : ContentClass.stub;
}

const filesNamedIn = (visible: string): string[] => [
  ...new Set([...visible.matchAll(/[\w./-]*\w\.(?:mdc?|txt)\b/gi)].map(([name]) => name).slice(0, 5)),
];

function notTextReason(text: string): MeasuredFile['notText'] {
  if (text.includes('\0')) return 'NUL characters';
  return /^\s*(?:<!doctype html|<html[\s>])/i.test(text.slice(0, 1_000)) ? 'an HTML page' : null;
}
