import { withoutInlineComments } from './without-inline-comments.ts';

export interface MarkdownReading {
  /** The text without HTML comments, and without white space at both ends. */
  readonly visible: string;
  /** ATX headings (CommonMark 0.31 section 4.2) outside code and comments. */
  readonly headings: number;
}

interface Fence {
  readonly marker: string;
  /** Column at which the list item around it begins; 0 outside of lists. */
  readonly column: number;
  readonly quoted: boolean;
}

interface Reader {
  readonly kept: string[];
  /** Lines of the open paragraph: an inline comment may span them, and ends with it. */
  paragraph: string[];
  /** Columns of the open list items' content, the outermost first. */
  listColumns: number[];
  fence: Fence | null;
  inComment: boolean;
  headings: number;
}

/**
 * Reads lines the way CommonMark finds blocks, as far as that decides what is a comment: in fenced and indented code it
 * is content, at the start of a block it runs to its end mark wherever that stands, or to the end of the file.
 */
export function readMarkdown(text: string): MarkdownReading {
  const reader: Reader = { kept: [], paragraph: [], listColumns: [], fence: null, inComment: false, headings: 0 };
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
  if (reader.fence !== null && staysInFence(reader.fence, line)) {
    if (closesFence(reader.fence, line)) reader.fence = null;
    reader.kept.push(line);
    return;
  }
  reader.fence = null;
  const { column, startsItem, quoted } = enterContainers(reader, line);
  const content = line.slice(column);
  const isBlank = content.trim() === '';
  if (startsItem || isBlank) endParagraph(reader);
  const fenceMarker = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(content)?.[1];
  const isCode = /^(?: {4}| {0,3}\t)/.test(content) && reader.paragraph.length === 0;
  if (isBlank || isCode) {
    reader.kept.push(line);
  } else if (fenceMarker !== undefined) {
    endParagraph(reader);
    reader.fence = { marker: fenceMarker, column: reader.listColumns.at(-1) ?? 0, quoted };
    reader.kept.push(line);
  } else if (/^ {0,3}<!--/.test(content)) {
    endParagraph(reader);
    reader.kept.push(line.slice(0, column) + readHtml(reader, content));
  } else if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(content)) {
    endParagraph(reader);
    reader.headings += 1;
    reader.kept.push(withoutInlineComments(line));
  } else {
    reader.paragraph.push(line);
  }
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

/** Where the line's own content begins, behind the marks of quotes and list items, and whether it begins an item. */
function enterContainers(
  reader: Reader,
  line: string,
): { readonly column: number; readonly startsItem: boolean; readonly quoted: boolean } {
  if (line.trim() !== '') reader.listColumns = reader.listColumns.filter((column) => column <= indentOf(line));
  let column = reader.listColumns.at(-1) ?? 0;
  let startsItem = false;
  let quoted = false;
  for (;;) {
    const [mark] = /^ {0,3}(?:> ?|(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)| +|$))/.exec(line.slice(column)) ?? [];
    if (mark === undefined) return { column, startsItem, quoted };
    column += mark.length;
    if (mark.trimStart().startsWith('>')) {
      quoted = true;
    } else {
      startsItem = true;
      reader.listColumns.push(column);
    }
  }
}

/** A fence that nobody closes ends with the quote or list item it stands in. */
function staysInFence({ column, quoted }: Fence, line: string): boolean {
  if (quoted) return line.trimStart().startsWith('>') || indentOf(line) >= Math.max(column, 1);
  return column === 0 || line.trim() === '' || indentOf(line) >= column;
}

function closesFence({ marker }: Fence, line: string): boolean {
  const closing = /^[\s>]*(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return closing?.startsWith(marker) ?? false;
}

const indentOf = (line: string): number => line.length - line.trimStart().length;
