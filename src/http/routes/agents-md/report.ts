// Written a page of rows at a time, so that a report of 50,000 producers needs the memory of one page.
import type { Pace } from '../../../agents-md/request-rates.ts';
import { fixOf } from '../../../agents-md/reasons.ts';
import { producerViewOf } from '../../../client/agents-md/producer-views.ts';
import { escapeMarkdown, markdownRow } from '../../../lib/escape-markdown.ts';
import { printable } from '../../../lib/printable.ts';
import type { OutcomeCounts, ProducerRecord } from '../../../store/agents-md/producers.ts';

export const reportFormats = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
} as const;
export type ReportFormat = keyof typeof reportFormats;

export interface Report {
  readonly at: string;
  readonly counts: OutcomeCounts;
  readonly pace: Pace;
  readonly rows: AsyncIterable<readonly ProducerRecord[]>;
}

/** A column of the report, and its text for a producer. */
const cellOf = {
  producer: (row) => row.producerId,
  outcome: (row) => row.latest?.outcome ?? 'unchecked',
  reason: (row) => row.latest?.reasonCode ?? row.lastAttempt?.reasonCode ?? '',
  repository: (row) => [row.host, row.organization, row.primaryRepository].filter((name) => name !== null).join('/'),
  labels: (row) => row.labels.join(' '),
  since: (row) => row.latest?.outcomeSince ?? '',
  checked: (row) => row.latest?.checkedAt ?? '',
  message: (row) => row.latest?.message ?? '',
  fix: ({ latest }) => (latest === null || latest.outcome === 'pass' ? '' : fixOf(latest.reasonCode)),
} as const satisfies Readonly<Record<string, (row: ProducerRecord) => string>>;
type Column = keyof typeof cellOf;
const columns = Object.keys(cellOf) as Column[];
type Cells = Readonly<Record<Column, string>>;

const cellsOf = (row: ProducerRecord): Cells =>
  Object.fromEntries(columns.map((column) => [column, cellOf[column](row)])) as Cells;

interface Form {
  readonly head: (report: Report) => string;
  readonly row: (cells: Cells, record: ProducerRecord, isFirst: boolean) => string;
  readonly foot: string;
  /** Around the rows that are read at once. @default nothing */
  readonly page?: readonly [head: string, foot: string];
}

const listed = (cells: Cells): string[] => columns.map((column) => cells[column]);
/** A cell that begins so is a formula to spreadsheets. */
const csvCell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const html = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => entities[found] ?? found);

const states = ['pass', 'partial', 'fail', 'unchecked'] as const;
const share = (part: number, total: number): string => `${total === 0 ? 0 : Math.round((part / total) * 1_000) / 10} %`;
const totalOf = (outcomes: OutcomeCounts['outcomes']): number =>
  states.reduce((sum, state) => sum + outcomes[state], 0);
const sharesOf = (outcomes: OutcomeCounts['outcomes']): string[] =>
  states.map((state) => `${outcomes[state]} (${share(outcomes[state], totalOf(outcomes))})`);
const paceIn = ({ pace }: Report): string =>
  `Checking all of them takes at most ${pace.requestsMax} requests and ${pace.hoursMax} hours at the hosts' limits.`;
const reasonRows = ({ counts }: Report): string[][] =>
  Object.entries(counts.reasons)
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => [reason, String(count)]);

/** The tables above the rows: of all producers, whatever the filter. */
const tablesOf = (report: Report): [title: string, head: string[], rows: string[][]][] => [
  ['Outcomes', [...states], [sharesOf(report.counts.outcomes)]],
  ['By reason', ['reason', 'producers'], reasonRows(report)],
  ['By label', ['label', ...states], report.counts.labels.map(({ label, outcomes }) => [label, ...sharesOf(outcomes)])],
  ['Over time', ['day', ...states], report.counts.days.map(({ day, outcomes }) => [day, ...sharesOf(outcomes)])],
];

const htmlRow = (cells: readonly string[], tag = 'td'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${html(cell)}</${tag}>`).join('')}</tr>\n`;

const forms: Readonly<Record<ReportFormat, Form>> = {
  json: {
    head: ({ at, counts, pace }) =>
      `{"at":${JSON.stringify(at)},"counts":${JSON.stringify(counts)},"pace":${JSON.stringify(pace)},"producers":[`,
    row: (cells, record, isFirst) =>
      `${isFirst ? '' : ',\n'}${JSON.stringify({ ...producerViewOf(record), fix: cells.fix })}`,
    foot: ']}\n',
  },
  csv: {
    head: () => `${columns.join(',')}\r\n`,
    row: (cells) => `${listed(cells).map(csvCell).join(',')}\r\n`,
    foot: '',
  },
  markdown: {
    head: (report) =>
      [
        `# AGENTS.md of ${report.counts.total} producers, ${report.at}\n\n${paceIn(report)}\n`,
        ...tablesOf(report).map(([title, head, rows]) =>
          [
            `## ${title}\n`,
            markdownRow(head),
            markdownRow(head.map(() => '---')),
            ...rows.map((row) => markdownRow(row.map(escapeMarkdown))),
          ].join('\n'),
        ),
        `## Producers\n\n${markdownRow(columns)}\n${markdownRow(columns.map(() => '---'))}\n`,
      ].join('\n\n'),
    row: (cells) => `${markdownRow(listed(cells).map(escapeMarkdown))}\n`,
    foot: '',
  },
  html: {
    head: (report) =>
      `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>AGENTS.md of ${report.counts.total} producers</title>
<meta name="viewport" content="width=device-width"><style>
body{font:14px/1.5 system-ui,sans-serif;margin:2rem;color:#1a1a1a}table{border-collapse:collapse;margin:0 0 2rem}
th,td{border:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top}th{background:#f2f2f2}
section{content-visibility:auto;contain-intrinsic-size:auto 100000px}
section table{table-layout:fixed;width:100%;margin:0;overflow-wrap:anywhere}
section th:nth-child(n+8){width:18%}section th:nth-child(2){width:5em}section th:nth-child(3){width:9em}
.fail td:nth-child(2){background:#fbd5d5}.partial td:nth-child(2){background:#fdf0c4}.pass td:nth-child(2){background:#d6f0d6}
</style></head><body><main><h1>AGENTS.md of ${report.counts.total} producers</h1><p>${html(report.at)}. ${html(paceIn(report))}</p>
${tablesOf(report)
  .map(
    ([title, head, rows]) =>
      `<h2>${title}</h2><table>${htmlRow(head, 'th')}${rows.map((row) => htmlRow(row)).join('')}</table>`,
  )
  .join('\n')}
<h2>Producers</h2>
`,
    row: (cells) => htmlRow(listed(cells)).replace('<tr>', `<tr class="${html(cells.outcome)}">`),
    foot: '</main></body></html>\n',
    // A browser lays out a table as a whole: of 50,000 rows in a minute. A section waits until it is scrolled to.
    page: [`<section><table>${htmlRow(columns, 'th')}`, '</table></section>\n'],
  },
  text: {
    head: (report) =>
      `${states.map((state, at) => `${state} ${sharesOf(report.counts.outcomes)[at] ?? ''}`).join(', ')}\n${paceIn(report)}\n\n`,
    row: ({ producer, outcome, reason, message, fix }) =>
      `${printable([producer.padEnd(28), outcome.padEnd(10), reason.padEnd(22), message].join(' ').trimEnd())}\n${fix === '' ? '' : `  To do: ${fix}\n`}`,
    foot: '',
  },
};

export async function* renderReport(format: ReportFormat, report: Report): AsyncGenerator<string> {
  const { head, row, foot, page: [pageHead, pageFoot] = ['', ''] } = forms[format];
  yield head(report);
  let isFirst = true;
  for await (const page of report.rows) {
    if (page.length === 0 && !isFirst) continue;
    let text = pageHead;
    for (const record of page) {
      text += row(cellsOf(record), record, isFirst);
      isFirst = false;
    }
    yield text + pageFoot;
  }
  yield foot;
}
