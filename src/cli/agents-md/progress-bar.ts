import type { CheckRequestProgress } from '../api-client.ts';
import type { agentsMdExitCodes } from '../exit-codes.ts';
import { createProgressLine, type ProgressLine, type ProgressStream } from '../progress-line.ts';

/** Long enough to smooth out a rate limit, short enough to notice one. */
const WINDOW_MS = 120_000;
/** A shorter sample gives no usable rate. */
const ESTIMATE_AFTER_MS = 5_000;
const BAR_WIDTH = 24;

/** How a producer's check ended. */
type CheckEnding = Exclude<keyof typeof agentsMdExitCodes, 'notCarriedOut'>;

/** In the order of display. */
const endings: readonly CheckEnding[] = ['pass', 'partial', 'fail', 'inconclusive'];

export const endingsIn = (outcomes: CheckRequestProgress['outcomes']): CheckEnding[] =>
  endings.filter((ending) => outcomes[ending] > 0);

export interface ProgressBar extends Pick<ProgressLine, 'clear'> {
  show(progress: Pick<CheckRequestProgress, 'total' | 'answered' | 'outcomes'>): void;
}

/** One bar in a terminal, a line every 15 seconds elsewhere. */
export function createProgressBar(stream: ProgressStream, now: () => number): ProgressBar {
  const startedAt = now();
  const line = createProgressLine(stream, now);
  let seen: { readonly at: number; readonly done: number }[] = [];
  let isOver = false;
  return {
    show({ total, answered: done, outcomes }) {
      const at = now();
      const isFirst = seen.length === 0;
      seen = [...seen.filter((one) => at - one.at <= WINDOW_MS), { at, done }];
      const parts = [
        `${done}/${total}`,
        ...endingsIn(outcomes).map((ending) => `${ending} ${outcomes[ending]}`),
        duration(at - startedAt),
        ...(done < total ? [remaining(seen, total - done)] : []),
      ];
      if (line.isTerminal) {
        const filled = total === 0 ? BAR_WIDTH : Math.floor((done / total) * BAR_WIDTH);
        parts.unshift(`${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`);
      } else if (isOver) return;
      isOver = endingsIn(outcomes).reduce((sum, ending) => sum + outcomes[ending], 0) === total;
      line.show(parts.join('  '), isFirst || isOver);
    },
    clear: line.clear,
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
