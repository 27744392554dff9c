// Leaf library: how a readiness probe asks something that may hang.

/**
 * One check is under way at a time, however many probes ask. Answers false when it fails, returns false, or has not
 * answered within `timeoutMs`.
 */
export function sharedCheck(check: () => Promise<unknown>, timeoutMs: number): () => Promise<boolean> {
  let underWay: Promise<boolean> | undefined;
  return () => {
    underWay ??= check()
      .then(
        (answer) => answer !== false,
        () => false,
      )
      .finally(() => (underWay = undefined));
    return before(underWay, timeoutMs);
  };
}

async function before(check: Promise<boolean>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false);
  });
  try {
    return await Promise.race([check, timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
