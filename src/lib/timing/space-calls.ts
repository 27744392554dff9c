import { setTimeout as sleep } from 'node:timers/promises';

/** A little longer, because the far end counts when requests arrive. */
const SECOND_MS = 1_100;

/**
 * Begins calls one after the other, in their order, with pauses of 1 / `perSecond` between them: never more in any second. The pause counts from when the
 * last one really began, so that a process that stalled does not begin all at once those that were due meanwhile.
 */
export function spaceCalls<Given extends readonly unknown[], Result>(
  perSecond: number,
  call: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  const spacingMs = SECOND_MS / perSecond;
  let nextAt = -Infinity;
  let turn: Promise<void> = Promise.resolve();
  const takeTurn = async (): Promise<void> => {
    // A timer may end a little early.
    for (let left = nextAt - performance.now(); left > 0; left = nextAt - performance.now()) await sleep(left);
  };
  return async (...given) => {
    turn = turn.then(takeTurn);
    await turn;
    const result = call(...given);
    // Before the next one takes its turn, which it awaits after this call did.
    nextAt = performance.now() + spacingMs;
    return result;
  };
}
