export const BENCHMARKS_FILE = 'BENCHMARKS.md';

/**
 * The text of the file with the tables of one server replaced: those between `<!-- dev -->` and `<!-- /dev -->`. The rest is
 * written by people.
 */
export function withTables(text: string, server: string, tables: string): string {
  const [begin, end] = [`<!-- ${server} -->`, `<!-- /${server} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${BENCHMARKS_FILE} has no place between ${begin} and ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`;
}
