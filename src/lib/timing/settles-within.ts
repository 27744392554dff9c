/** Waits for the promise, at most so long. @returns whether it was fulfilled in time; throws if it was rejected */
export async function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([promise.then(() => true), timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
