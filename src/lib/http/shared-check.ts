/** Runs at most one check at a time for all probes; undefined if it fails or takes longer than `timeoutMs`. */
export function sharedCheck<Answer>(
  check: () => Promise<Answer>,
  timeoutMs: number,
): () => Promise<Answer | undefined> {
  let underWay: Promise<Answer | undefined> | undefined;
  return () => {
    underWay ??= check()
      .catch(() => undefined)
      .finally(() => (underWay = undefined));
    return before(underWay, timeoutMs);
  };
}

async function before<Answer>(check: Promise<Answer>, timeoutMs: number): Promise<Answer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, undefined);
  });
  try {
    return await Promise.race([check, timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
