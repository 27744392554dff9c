import { setTimeout as delay } from 'node:timers/promises';
import type { PlannedKill, ProcessName } from './crash-plan.ts';
import { followAbort } from '../../src/lib/follow-abort.ts';
import type { Deployment } from './start-deployment.ts';

export interface DoneKill {
  readonly process: ProcessName;
  /** Milliseconds of the Unix epoch, when the process was dead. */
  readonly atMs: number;
  /** The receiver had just taken a message, and its answer was not yet on the way. */
  readonly atReceipt: boolean;
}

/** A kill at a receipt is made without one when none comes. */
const RECEIPT_WITHIN_MS = 8_000;

/** Makes the planned kills one after the other. */
export async function killAll(
  kills: readonly PlannedKill[],
  { processes, world }: Pick<Deployment, 'processes' | 'world'>,
  { report, signal }: { readonly report: (line: string) => void; readonly signal: AbortSignal },
): Promise<DoneKill[]> {
  const done: DoneKill[] = [];
  for (const { process, pauseMs, atReceipt } of kills) {
    await delay(pauseMs, undefined, { signal });
    const met = atReceipt && (await untilReceipt(world, signal));
    await processes[process].kill();
    done.push({ process, atMs: Date.now(), atReceipt: met });
    report(`Kill ${done.length} of ${kills.length}: ${process}${met ? ', at a receipt' : ''}`);
  }
  return done;
}

/** True as soon as another message has come, before the receiver answers it; false when none comes in time. */
async function untilReceipt({ mail }: Deployment['world'], signal: AbortSignal): Promise<boolean> {
  const before = new Set(mail.received());
  const waiting = followAbort(signal);
  const timer = setTimeout(() => {
    waiting.abort();
  }, RECEIPT_WITHIN_MS);
  try {
    await mail.waitFor((message) => !before.has(message), waiting.signal);
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
}
