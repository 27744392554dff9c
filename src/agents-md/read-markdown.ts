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
  /** The text without HTML comments, and without leading and trailing white space. */
  readonly visible: string;
  /** ATX headings (CommonMark 0.31 section 4.2) outside code and comments. */
  readonly headings: number;
}

interface Reader {
  readonly kept: string[];
  /** Lines of the open paragraph; an inline comment may span them, but not go beyond. */
  paragraph: string[];
  /** The open block quotes and list items, outermost first. */
  readonly containers: Container[];
  /** The opening mark of the open fence in the innermost container. */
  fence: string | null;
  inComment: boolean;
  headings: number;
}

/** Marks beyond are text, so that the time stays linear. */
const CONTAINERS_MAX = 50;

const FENCE = /`{3,}(?=[^`]*$)|~{3,}/y;
const CLOSING_FENCE = /(`{3,}|~{3,})[ \t]*$/y;
const HEADING = /#{1,6}(?:[ \t]|$)/y;
const SETEXT_UNDERLINE = /(?:=+|-+)[ \t]*$/y;
const THEMATIC_BREAK = /(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/y;

/**
 * Finds blocks as CommonMark does, as far as needed to find comments: a comment in code is content; a comment at the
 * start of a block ends at its end mark, across blocks, or at the end of the file.
 */
export function readMarkdown(text: string): MarkdownReading {
  const reader: Reader = { kept: [], paragraph: [], containers: [], fence: null, inComment: false, headings: 0 };
  for (const line of text.split('\n')) readLine(reader, line);
  endParagraph(reader);
  return { visible: reader.kept.join('\n').trim(), headings: reader.headings };
}

function readLine(reader: Reader, line: string): void {
  if (reader.inComment) {
    // The rest of the line joins the line on which the comment started: line ends inside it are comment too.
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
  // An unclosed fence ends with its block quote or list item.
  reader.fence = null;
  readBlock(reader, cursor, openContainers(reader, cursor, continued));
}

/** The number of containers around the rest of the line; the others end, unless the line continues their paragraph. */
function openContainers(reader: Reader, cursor: Cursor, continued: number): number {
  const { containers, paragraph } = reader;
  let depth = continued;
  let inParagraph = paragraph.length > 0 && continued === containers.length;
  // `* * *` is not a list.
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
  // Text continues the paragraph of a block quote or item even without its mark.
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

/** The match at the start of the line's text; null in indented code. */
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

/** A line of raw HTML without its comments. */
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
