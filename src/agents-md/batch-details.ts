import { counted } from '../lib/counted.ts';
import { escapeMarkdown, markdownRow } from '../lib/escape-markdown.ts';
import type { BatchEntry } from './batch.ts';
import type { Outcome } from './reasons.ts';

/** How a check ended, the worst first; `ended from outside` has no result. */
const signs = {
  fail: '❌',
  'ended from outside': '❌',
  inconclusive: '❔',
  partial: '⚠️',
  pass: '✅',
} as const satisfies Record<Outcome | 'inconclusive' | 'ended from outside', string>;
type Ending = keyof typeof signs;
const endings = Object.keys(signs) as Ending[];

/** Rows of producers to act on; the whole list is one command away. */
const ROWS_MAX = 50;

const endingOf = ({ outcome, status }: BatchEntry): Ending =>
  outcome ?? (status === null ? 'ended from outside' : 'inconclusive');

/** Counts the results of a batch as they arrive. */
export function batchTally(batchId: string, total: number) {
  const counts = new Map<Ending, number>();
  const rows: string[] = [];
  return {
    add(entry: BatchEntry): void {
      const ending = endingOf(entry);
      counts.set(ending, (counts.get(ending) ?? 0) + 1);
      if (ending === 'pass' || rows.length >= ROWS_MAX) return;
      const cells = [`${signs[ending]} ${ending}`, escapeMarkdown(entry.producerId), entry.reasonCode ?? ''];
      rows.push(markdownRow(cells));
    },

    /** The worst outcome so far; null before the first. An execution ended from outside counts as inconclusive. */
    worst(): Outcome | 'inconclusive' | null {
      const worst = endings.find((ending) => counts.has(ending));
      if (worst === 'ended from outside') return 'inconclusive';
      return worst ?? null;
    },

    /** Markdown for the Temporal UI: how many checks ended how, and the producers to act on. */
    details(): string {
      const done = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const left = total - done;
      const parts = endings.flatMap((ending) => {
        const count = counts.get(ending);
        return count === undefined ? [] : [`${signs[ending]} ${count} ${ending}`];
      });
      const others = done - (counts.get('pass') ?? 0) - rows.length;
      return [
        `## ${left > 0 ? '⏳' : '🏁'} ${escapeMarkdown(batchId)}: ${done} of ${counted(total, 'producer')} checked`,
        ...(parts.length === 0 ? [] : [parts.join(', ')]),
        ...(rows.length === 0 ? [] : [['| outcome | producer | reason |', '| --- | --- | --- |', ...rows].join('\n')]),
        ...(others > 0 ? [`and ${others} more that do not pass`] : []),
      ].join('\n\n');
    },
  };
}
