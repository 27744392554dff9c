/** Text from elsewhere, such as a server's reply, as it is: no markup, one line. */
export const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>|~#]/g, '\\$&').replaceAll(/\s+/g, ' ');

/** Text from elsewhere as code, on one line. In a table, `markdownRow` escapes it. */
export function markdownCode(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ');
  const longestRun = Math.max(0, ...[...oneLine.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  return longestRun === 0 && oneLine !== '' ? `\`${oneLine}\`` : `${fence} ${oneLine} ${fence}`;
}

/** A table's row; a `|` ends a cell, even in code. */
export const markdownRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll(/\\?\|/g, '\\|')).join(' | ')} |`;
