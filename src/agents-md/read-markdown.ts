import type { Node } from 'commonmark';
import { parseMarkdown } from './parse-markdown.ts';

export interface MarkdownReading {
  /** The text without HTML comments, without leading and trailing white space, and with shorter gaps. */
  readonly visible: string;
  /** ATX headings (CommonMark 0.31 section 4.2) outside code and comments. */
  readonly headings: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Comments in HTML, and what may contain the same characters without being one: tags with their attributes, processing
 * instructions, CDATA, declarations. Each alternative matches to the end if it is not closed, so the time is linear.
 */
const HTML =
  /(?<comment><!--(?:-?>|[^]*?(?:-->|$)))|<\/?[a-z](?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^"'>])*|<\?[^]*?(?:\?>|$)|<!\[CDATA\[[^]*?(?:\]\]>|$)|<![a-z][^>]*/gi;

/** Finds comments and headings as CommonMark does, by its reference implementation. */
export function readMarkdown(text: string): MarkdownReading {
  const shorter = withoutLongGaps(text);
  const lines = shorter.split('\n');
  const ends: number[] = [];
  for (const line of lines) ends.push((ends.at(-1) ?? -1) + 1 + line.length);

  const comments: Range[] = [];
  let headings = 0;
  const walker = parseMarkdown(shorter).walker();
  for (let step = walker.next(); step !== null; step = walker.next()) {
    if (!step.entering) continue;
    const { node } = step;
    const [first, last] = linesOf(node);
    // An underlined heading has two lines at least.
    if (node.type === 'heading' && first === last) headings += 1;
    if (node.type === 'html_block') {
      comments.push(...placesIn(node.literal ?? '', ends.slice(first - 1, last), commentsInHtml));
    }
    if (node.type === 'paragraph' || node.type === 'heading') {
      const literals = inlineComments(node);
      if (literals.length === 0) continue;
      const content = withoutMarks(`\n${lines.slice(first - 1, last).join('\n')}`).slice(1);
      comments.push(...placesIn(content, ends.slice(first - 1, last), (block) => placesOf(literals, block)));
    }
  }
  return { visible: without(shorter, comments).trim(), headings };
}

/** White space counts as one character, and the parser's time grows with the square of a run's length. */
const withoutLongGaps = (text: string): string =>
  text.replace(/([^\S\n]{100})[^\S\n]+/g, '$1').replace(/\n(?:[^\S\n]*\n){3,}/g, '\n\n\n');

function linesOf({ sourcepos }: Node): [first: number, last: number] {
  // An inline has no position.
  const [[first] = [0], [last] = [0]] = (sourcepos as Node['sourcepos'] | undefined) ?? [];
  return [first, last];
}

function inlineComments(block: Node): string[] {
  const literals: string[] = [];
  const walker = block.walker();
  for (let step = walker.next(); step !== null; step = walker.next()) {
    const { type, literal } = step.node;
    if (type === 'html_inline' && literal?.startsWith('<!--') === true) literals.push(withoutMarks(literal));
  }
  return literals;
}

/** Without the marks of quotes and the white space at the start of a line behind another. */
const withoutMarks = (text: string): string => text.replace(/\n[ \t>]*/g, '\n');

/** If the same characters stand before in a code span, these are removed instead: as many remain. */
function placesOf(literals: readonly string[], block: string): Range[] {
  let at = 0;
  return literals.flatMap((literal) => {
    const start = block.indexOf(literal, at);
    if (start === -1) return [];
    at = start + literal.length;
    return [{ start, end: at }];
  });
}

const commentsInHtml = (block: string): Range[] =>
  Array.from(block.matchAll(HTML))
    .filter(({ groups }) => groups?.['comment'] !== undefined)
    .map(({ index, 0: comment }) => ({ start: index, end: index + comment.length }));

/** Places in the file of places in a block, each of whose lines is the end of a line of the file. */
function placesIn(block: string, ends: readonly number[], find: (block: string) => Range[]): Range[] {
  let line = 0;
  let lineEnd = block.indexOf('\n');
  const inFile = (at: number): number => {
    for (; lineEnd !== -1 && at > lineEnd; line += 1) lineEnd = block.indexOf('\n', lineEnd + 1);
    return (ends[line] ?? 0) - ((lineEnd === -1 ? block.length : lineEnd) - at);
  };
  return find(block).map(({ start, end }) => ({ start: inFile(start), end: inFile(end) }));
}

function without(text: string, ranges: readonly Range[]): string {
  let at = 0;
  const kept: string[] = [];
  for (const { start, end } of ranges) {
    kept.push(text.slice(at, start));
    at = end;
  }
  return kept.join('') + text.slice(at);
}
