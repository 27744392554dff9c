/** A position in a line. If a container ends inside the tab at `at`, the column is inside that tab. */
export interface Cursor {
  readonly line: string;
  at: number;
  /** From the start of the line; a tab reaches the next multiple of four (CommonMark 0.31 section 2.2). */
  column: number;
}

/** A block quote or a list item. */
export type Container =
  | { readonly kind: 'quote' }
  | {
      readonly kind: 'item';
      /** The indentation of its lines. */
      readonly columns: number;
      /** Only its mark has been read: a blank line would end it. */
      isEmpty: boolean;
    };

/** Indentation from here on makes code. */
export const CODE_COLUMNS = 4;

const LIST_MARK = /(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)/y;

/** Where the text after the white space starts, and the width of that white space. */
export function contentOf({ line, at, column }: Cursor): { at: number; indent: number; isBlank: boolean } {
  let contentAt = at;
  let contentColumn = column;
  for (; line[contentAt] === ' ' || line[contentAt] === '\t'; contentAt += 1) {
    contentColumn += line[contentAt] === '\t' ? columnsOfTab(contentColumn) : 1;
  }
  return { at: contentAt, indent: contentColumn - column, isBlank: contentAt === line.length };
}

/** Whether the line continues the container (CommonMark 0.31 sections 5.1 and 5.2); if so, moves the cursor past its mark. */
export function continuesContainer(container: Container, cursor: Cursor): boolean {
  if (container.kind === 'quote') return skipQuoteMark(cursor);
  const { indent, isBlank } = contentOf(cursor);
  if (isBlank) return !container.isEmpty;
  if (indent < container.columns) return false;
  skipColumns(cursor, container.columns);
  container.isEmpty = false;
  return true;
}

/**
 * The container that starts at the cursor; moves the cursor past its mark.
 *
 * @param inParagraph an item interrupts a paragraph only if it has text, and the number 1
 */
export function openContainer(cursor: Cursor, inParagraph: boolean): Container | null {
  if (skipQuoteMark(cursor)) return { kind: 'quote' };
  const { at, indent } = contentOf(cursor);
  if (indent >= CODE_COLUMNS) return null;
  LIST_MARK.lastIndex = at;
  const [mark, number] = LIST_MARK.exec(cursor.line) ?? [];
  if (mark === undefined) return null;
  const behind = { line: cursor.line, at: at + mark.length, column: cursor.column + indent + mark.length };
  const { indent: gap, isBlank } = contentOf(behind);
  if (inParagraph && (isBlank || (number !== undefined && Number(number) !== 1))) return null;
  // A wider gap belongs to the code at the start of the item.
  const padding = isBlank || gap > CODE_COLUMNS ? 1 : gap;
  skipColumns(behind, padding);
  cursor.at = behind.at;
  cursor.column = behind.column;
  return { kind: 'item', columns: indent + mark.length + padding, isEmpty: isBlank };
}

function skipQuoteMark(cursor: Cursor): boolean {
  const { at, indent } = contentOf(cursor);
  if (indent >= CODE_COLUMNS || cursor.line[at] !== '>') return false;
  cursor.at = at + 1;
  cursor.column += indent + 1;
  skipColumns(cursor, 1);
  return true;
}

/** Skips white space only; may stop inside a tab. */
function skipColumns(cursor: Cursor, columns: number): void {
  for (let left = columns; left > 0;) {
    const character = cursor.line[cursor.at];
    if (character !== ' ' && character !== '\t') return;
    const width = character === '\t' ? columnsOfTab(cursor.column) : 1;
    const skipped = Math.min(width, left);
    cursor.column += skipped;
    left -= skipped;
    if (skipped === width) cursor.at += 1;
  }
}

const columnsOfTab = (column: number): number => 4 - (column % 4);
