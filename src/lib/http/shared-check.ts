import { settlesWithin } from '../timing/settles-within.ts';

/** Runs at most one check at a time for all probes; undefined if it fails or takes longer than `timeoutMs`. */
export function sharedCheck<Answer>(
  check: () => Promise<Answer>,
  timeoutMs: number,
): () => Promise<Answer | undefined> {
  let underWay: Promise<Answer | undefined> | undefined;
  return async () => {
    underWay ??= check()
      .catch(() => undefined)
      .finally(() => (underWay = undefined));
    const asked = underWay;
    return (await settlesWithin(timeoutMs, asked)) ? asked : undefined;
  };
}
