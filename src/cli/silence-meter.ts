/** A Worker that has just been started answers a moment later. */
export const SILENCE_TOLD_AFTER_MS = 5_000;

/** Is told at each look whether a Worker has answered; returns for how many milliseconds none has. */
export function silenceMeter(): (hasAnswered: boolean) => number {
  let since: number | undefined;
  return (hasAnswered) => {
    since = hasAnswered ? undefined : (since ?? Date.now());
    return since === undefined ? 0 : Date.now() - since;
  };
}
