export const BENCHMARKS_FILE = 'BENCHMARKS.md';

/** A table of the report, with its heading. */
export interface Section {
  readonly title: string;
  readonly text: string;
}

export const headingOf = (title: string): string => `### ${title}`;

/**
 * The text of the file with the sections replaced, and added if they are missing, between `<!-- dev -->` and `<!-- /dev -->`. Sections
 * of scenarios that were not run stay, as does what people have written outside.
 */
export function withSections(text: string, server: string, sections: readonly Section[]): string {
  const [begin, end] = [`<!-- ${server} -->`, `<!-- /${server} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${BENCHMARKS_FILE} has no place between ${begin} and ${end}`);
  const kept = text
    .slice(from + begin.length, to)
    .split(/^(?=### )/m)
    .map((section) => section.trim())
    .filter((section) => section !== '');
  const isOf = (section: string, title: string): boolean => section.split('\n', 1)[0] === headingOf(title);
  const replaced = kept.map((section) => sections.find(({ title }) => isOf(section, title))?.text ?? section);
  const added = sections.filter(({ title }) => !kept.some((section) => isOf(section, title)));
  const all = [...replaced, ...added.map((section) => section.text)];
  return `${text.slice(0, from + begin.length)}\n\n${all.join('\n\n')}\n\n${text.slice(to)}`;
}
