import {
  CODE_COLUMNS,
  type Container,
  contentOf,
  continuesContainer,
  type Cursor,
  openContainer,
} from './markdown-containers.ts';
import { withoutInlineComments } from './without-inline-comments.ts';

export interface MarkdownReading {
  /** The text without HTML comments, and without white space at both ends. */
  readonly visible: string;
  /** ATX headings (CommonMark 0.31 section 4.2) outside code and comments. */
  readonly headings: number;
}

interface Reader {
  readonly kept: string[];
  /** Lines of the open paragraph: an inline comment may span them, and ends with it. */
  paragraph: string[];
  /** The quotes and list items that are open, the outermost first. */
  readonly containers: Container[];
  /** The mark that opened the fence which is open in the innermost container. */
  fence: string | null;
  inComment: boolean;
  headings: number;
}

/** Deeper than anyone writes: marks beyond are text, so that no file takes time with the square of its length. */
const CONTAINERS_MAX = 50;

const FENCE = /`{3,}(?=[^`]*$)|~{3,}/y;
const CLOSING_FENCE = /(`{3,}|~{3,})[ \t]*$/y;
const HEADING = /#{1,6}(?:[ \t]|$)/y;
const SETEXT_UNDERLINE = /(?:=+|-+)[ \t]*$/y;
const THEMATIC_BREAK = /(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/y;

/**
 * Reads lines the way CommonMark finds blocks, as far as that decides what is a comment: in fenced and indented code it
 * is content, at the start of a block it runs to its end mark wherever that stands, or to the end of the file.
 */
export function readMarkdown(text: string): MarkdownReading {
  const reader: Reader = { kept: [], paragraph: [], containers: [], fence: null, inComment: false, headings: 0 };
  for (const line of text.split('\n')) readLine(reader, line);
  endParagraph(reader);
  return { visible: reader.kept.join('\n').trim(), headings: reader.headings };
}

function readLine(reader: Reader, line: string): void {
  if (reader.inComment) {
    // What is left of the line joins the one the comment began on: its line ends are comment too.
    reader.kept.push((reader.kept.pop() ?? '') + readHtml(reader, line));
    return;
  }
  const { containers } = reader;
  const cursor: Cursor = { line, at: 0, column: 0 };
  const ended = containers.findIndex((container) => !continuesContainer(container, cursor));
  const continued = ended === -1 ? containers.length : ended;
  if (reader.fence !== null && continued === containers.length) {
    if (findAt(CLOSING_FENCE, cursor)?.startsWith(reader.fence) === true) reader.fence = null;
    reader.kept.push(line);
    return;
  }
  // A fence that nobody closes ends with the quote or list item it stands in.
  reader.fence = null;
  readBlock(reader, cursor, openContainers(reader, cursor, continued));
}

/** How many containers the rest of the line stands in; those behind them end, unless it goes on with their paragraph. */
function openContainers(reader: Reader, cursor: Cursor, continued: number): number {
  const { containers, paragraph } = reader;
  let depth = continued;
  let inParagraph = paragraph.length > 0 && continued === containers.length;
  // `* * *` is no list.
  while (depth < CONTAINERS_MAX && findAt(THEMATIC_BREAK, cursor) === null) {
    const opened = openContainer(cursor, inParagraph);
    if (opened === null) break;
    endParagraph(reader);
    inParagraph = false;
    containers.splice(depth, containers.length, opened);
    depth += 1;
  }
  return depth;
}

function readBlock(reader: Reader, cursor: Cursor, depth: number): void {
  const { containers, kept, paragraph } = reader;
  const { line } = cursor;
  const { at, indent, isBlank } = contentOf(cursor);
  const inParagraph = paragraph.length > 0;
  const isUnderline = inParagraph && depth === containers.length && findAt(SETEXT_UNDERLINE, cursor) !== null;
  const fence = findAt(FENCE, cursor);
  const isCode = indent >= CODE_COLUMNS && !inParagraph;
  const isComment = indent < CODE_COLUMNS && line.startsWith('<!--', at);
  const isHeading = findAt(HEADING, cursor) !== null;
  const isBreak = findAt(THEMATIC_BREAK, cursor) !== null;
  const isText = !(isBlank || isUnderline || isCode || isComment || isHeading || isBreak || fence !== null);
  // Without a mark, too, text goes on with the paragraph of a quote or item.
  if (!(isText && inParagraph)) containers.splice(depth);
  if (isText || isUnderline) paragraph.push(line);
  if (isText) return;
  endParagraph(reader);
  reader.fence = fence;
  if (isHeading) reader.headings += 1;
  if (isUnderline) return;
  if (isComment) kept.push(line.slice(0, at) + readHtml(reader, line.slice(at)));
  else kept.push(isHeading ? withoutInlineComments(line) : line);
}

/** The pattern's match where the line's text begins; null in code, whose text is none of a block. */
function findAt(pattern: RegExp, cursor: Cursor): string | null {
  const { at, indent } = contentOf(cursor);
  if (indent >= CODE_COLUMNS) return null;
  pattern.lastIndex = at;
  return pattern.exec(cursor.line)?.[0] ?? null;
}

function endParagraph(reader: Reader): void {
  if (reader.paragraph.length > 0) reader.kept.push(withoutInlineComments(reader.paragraph.join('\n')));
  reader.paragraph = [];
}

/** A line of raw HTML without its comments; what follows an end mark on the same line is shown. */
function readHtml(reader: Reader, line: string): string {
  let shown = '';
  let at = 0;
  while (at < line.length) {
    if (!reader.inComment) {
      const start = line.indexOf('<!--', at);
      if (start === -1) return shown + line.slice(at);
      shown += line.slice(at, start);
      reader.inComment = true;
      at = start + 2;
    }
    const end = line.indexOf('-->', at);
    if (end === -1) return shown;
    reader.inComment = false;
    at = end + 3;
  }
  return shown;
}
