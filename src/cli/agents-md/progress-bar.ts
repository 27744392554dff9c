import type { agentsMdExitCodes } from '../exit-codes.ts';

/** Long enough to smooth out a rate limit, short enough to notice one. */
const WINDOW_MS = 120_000;
/** A shorter sample gives no usable rate. */
const ESTIMATE_AFTER_MS = 5_000;
/** Outside a terminal every update is a line of a log. */
const LINE_INTERVAL_MS = 15_000;
const BAR_WIDTH = 24;

/** How a producer's check ended. */
export type CheckEnding = Exclude<keyof typeof agentsMdExitCodes, 'notCarriedOut'>;

/** In the order of display. */
export const endings: readonly CheckEnding[] = ['pass', 'partial', 'fail', 'inconclusive'];

export interface ProgressStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ProgressBar {
  show(known: {
    readonly total: number;
    readonly done: number;
    readonly counts: ReadonlyMap<CheckEnding, number>;
  }): void;
  /** Removes the bar, so that a line can be written in its place. */
  clear(): void;
}

/** One bar in a terminal, a line every 15 seconds elsewhere. */
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

/** Estimated from the checks that finished recently. */
function remaining(seen: readonly { at: number; done: number }[], left: number): string {
  const first = seen[0];
  const last = seen.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < ESTIMATE_AFTER_MS) return 'estimating';
  const finished = last.done - first.done;
  const leftMs = finished === 0 ? 0 : (left * (last.at - first.at)) / finished;
  const quietMs = last.at - (seen.find(({ done }) => done === last.done)?.at ?? last.at);
  // The current rate no longer predicts completion.
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
