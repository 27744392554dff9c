/** Runs with the clock of this process off by so much; those of the servers, and its timers, stay right. */
export async function withClockOff<T>(byMs: number, run: () => Promise<T>): Promise<T> {
  const RightDate = globalThis.Date;
  globalThis.Date = new Proxy(RightDate, {
    construct: (target, given: unknown[], newTarget) =>
      Reflect.construct(target, given.length === 0 ? [RightDate.now() + byMs] : given, newTarget) as object,
    get: (target, name, receiver) =>
      name === 'now' ? () => RightDate.now() + byMs : (Reflect.get(target, name, receiver) as unknown),
  });
  try {
    return await run();
  } finally {
    globalThis.Date = RightDate;
  }
}
