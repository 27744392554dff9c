/** What the call rejects with; undefined if it succeeds. */
export const thrown = (call: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.resolve(call).then(
    () => undefined,
    (error: unknown) => error,
  );
