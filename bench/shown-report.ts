import { headingOf, type Section } from './benchmarks-file.ts';
import { type Spread, spreadOf } from './statistics.ts';
import type { Results } from './run-rounds.ts';
import type { Scenario } from './scenario.ts';

export interface About {
  readonly server: string;
  readonly rounds: number;
  readonly quick: boolean;
  readonly machine: string;
  readonly versions: readonly string[];
}

/** In Markdown, each table of the scenarios that were run: the median, and in brackets minimum and maximum. */
export function sectionsOf(
  scenarios: readonly Pick<Scenario, 'name' | 'table'>[],
  results: Results,
  { rounds, quick, machine, versions }: About,
): Section[] {
  const times = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}${quick ? ' of `--quick`' : ''}`;
  const about = `${times} on ${machine}. ${versions.join(', ')}.`;
  return [...new Set(scenarios.map(({ table }) => table))].map((title) => {
    const rounds = scenarios.filter(({ table }) => table === title).flatMap(({ name }) => results.get(name) ?? []);
    const lines = [...new Set(rounds.flatMap((each) => Object.keys(each)))].map((line) => ({
      title: line,
      figures: rounds.map((each) => each[line] ?? {}),
    }));
    const columns = [...new Set(lines.flatMap(({ figures }) => figures.flatMap((each) => Object.keys(each))))];
    const rows = lines.map((line) => [
      line.title,
      ...columns.map((column) => {
        const values = line.figures.flatMap((each) => each[column] ?? []);
        return values.length === 0 ? '' : shownSpread(spreadOf(values));
      }),
    ]);
    const table = markdownTable([['', ...columns], ...rows]);
    return { title, text: [headingOf(title), table, about].join('\n\n') };
  });
}

function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');
}

/** `12.3 (11.0 to 14.2)` */
function shownSpread({ min, median, max }: Spread): string {
  const shown = shownNumber(median);
  return shownNumber(min) === shownNumber(max) ? shown : `${shown} (${shownNumber(min)} to ${shownNumber(max)})`;
}

/** Three digits are more than such a measurement can repeat. */
function shownNumber(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toFixed(Number.isInteger(value) ? 0 : Math.min(digits, 2));
}
