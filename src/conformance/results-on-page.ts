// The part of docs/providers.md that `sendoff conformance --write` makes.
const BEGIN = '<!-- conformance: begin -->';
const END = '<!-- conformance: end -->';

function partOf(page: string): [number, number] {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`The page needs the lines ${BEGIN} and ${END}`);
  return [from + BEGIN.length, to];
}

export function withResults(page: string, results: string): string {
  const [from, to] = partOf(page);
  return `${page.slice(0, from)}\n\n${results}\n\n${page.slice(to)}`;
}

/** The cells of the table by the head of its column and the name of its case, in their order. */
export function resultsOn(page: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const rows = page
    .slice(...partOf(page))
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
  const [head = [], , ...body] = rows;
  return new Map(head.map((title, column) => [title, new Map(body.map((row) => [row[1] ?? '', row[column] ?? '']))]));
}
