import type { agentsMdExitCodes } from '../exit-codes.ts';

/** Far enough back to even out a host that throttles, near enough to notice one. */
const WINDOW_MS = 120_000;
/** Before that a rate is chance. */
const ESTIMATE_AFTER_MS = 5_000;
/** Where lines cannot be drawn over, a log should not be filled with them. */
const LINE_INTERVAL_MS = 15_000;
const BAR_WIDTH = 24;

/** What a producer's check came to, as the counts tell it. */
export type Ending = Exclude<keyof typeof agentsMdExitCodes, 'notCarriedOut'> | 'ended';

/** The order of showing. */
export const endings: readonly Ending[] = ['pass', 'partial', 'fail', 'inconclusive', 'ended'];

export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ProgressBar {
  /** Draws what is known now. */
  show(known: { readonly total: number; readonly done: number; readonly counts: ReadonlyMap<Ending, number> }): void;
  /** Takes the bar away, so that a line can be written where it was. */
  clear(): void;
}

/** The progress of a batch: a bar that is drawn over in a terminal, a line now and then elsewhere. */
export function createProgressBar(stream: ProgressStream, now: () => number): ProgressBar {
  const startedAt = now();
  let seen: { readonly at: number; readonly done: number }[] = [];
  let lineAt = -Infinity;
  let isOver = false;
  const isTerminal = stream.isTTY === true;
  return {
    show({ total, done, counts }) {
      const at = now();
      seen = [...seen.filter((one) => at - one.at <= WINDOW_MS), { at, done }];
      const parts = [
        `${done}/${total}`,
        ...endings.flatMap((ending) => (counts.has(ending) ? [`${ending} ${counts.get(ending) ?? 0}`] : [])),
        duration(at - startedAt),
        ...(done < total ? [remaining(seen, total - done)] : []),
      ];
      if (isTerminal) {
        const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
        const text = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}  ${parts.join('  ')}`;
        stream.write(`\r\x1b[2K${text.slice(0, (stream.columns ?? 80) - 1)}`);
        return;
      }
      const wasOver = isOver;
      isOver = [...counts.values()].reduce((sum, count) => sum + count, 0) === total;
      if (isOver ? !wasOver : at - lineAt >= LINE_INTERVAL_MS) {
        lineAt = at;
        stream.write(`${parts.join('  ')}\n`);
      }
    },
    clear() {
      if (isTerminal) stream.write('\r\x1b[2K');
    },
  };
}

/** From what was finished lately: nothing is said where that says nothing. */
function remaining(seen: readonly { at: number; done: number }[], left: number): string {
  const first = seen[0];
  const last = seen.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < ESTIMATE_AFTER_MS) return 'estimating';
  const finished = last.done - first.done;
  const leftMs = finished === 0 ? 0 : (left * (last.at - first.at)) / finished;
  const quietMs = last.at - (seen.find(({ done }) => done === last.done)?.at ?? last.at);
  // What should have been over by now waits for something that no rate tells of.
  if (finished === 0 || quietMs > Math.max(leftMs, ESTIMATE_AFTER_MS))
    return `nothing finished for ${duration(quietMs)}`;
  return `about ${duration(leftMs)} left`;
}

/** `42s`, `3m05s`, `2h10m`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const padded = (count: number): string => String(count).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${padded(seconds % 60)}s`;
  return `${Math.floor(seconds / 3_600)}h${padded(Math.floor((seconds % 3_600) / 60))}m`;
}
