import { setTimeout as delay } from 'node:timers/promises';
import { followAbort } from '../../src/lib/timing/follow-abort.ts';
import type { Deployment, ProcessName } from '../deployment/start-deployment.ts';
import type { PlannedKill } from './crash-plan.ts';

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
  for (const { process, instance, pauseMs, atReceipt } of kills) {
    await delay(pauseMs, undefined, { signal });
    const met = atReceipt && (await untilReceipt(world, signal));
    const instances = processes[process];
    const index = instance % instances.length;
    await instances[index]?.kill();
    done.push({ process, atMs: Date.now(), atReceipt: met });
    report(
      `Kill ${done.length} of ${kills.length}: ${process}${instances.length > 1 ? ` ${index + 1}` : ''}${met ? ', at a receipt' : ''}`,
    );
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
