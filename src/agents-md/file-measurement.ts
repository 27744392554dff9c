import type { FileEncoding } from './decode-file.ts';

/** A file with fewer visible characters is a stub. */
export const VISIBLE_CODE_POINTS_NEEDED = 200;

/** Only `content` passes. `brokenLink` is a symlink whose target cannot be read. */
export const ContentClass = {
  content: 'content',
  stub: 'stub',
  empty: 'empty',
  pointer: 'pointer',
  brokenLink: 'broken_link',
  lfsPointer: 'lfs_pointer',
} as const;
export type ContentClass = (typeof ContentClass)[keyof typeof ContentClass];

export interface FileMeasurement {
  /** Unicode code points of the decoded text. */
  readonly codePoints: number;
  /** Compared with `threshold`; see `visibleCharacters`. Without HTML comments. */
  readonly visibleCodePoints: number;
  /** Bytes read: fewer than the file's if `truncated`. */
  readonly bytes: number;
  readonly threshold: number;
  readonly contentClass: ContentClass;
  readonly encoding: FileEncoding;
  readonly truncated: boolean;
  /** ATX headings outside code and comments. */
  readonly headings: number;
}
