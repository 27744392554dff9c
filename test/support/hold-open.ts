import { gate } from './held-calls.ts';

/** The environment of a function that ends it when its callback returns: for all tests of a file, until it is stopped. */
export async function holdOpen<Environment>(
  within: (use: (environment: Environment) => Promise<void>) => Promise<void>,
): Promise<{ readonly environment: Environment; readonly stop: () => Promise<void> }> {
  const { open: end, opened: ended } = gate();
  let running = Promise.resolve();
  const environment = await new Promise<Environment>((resolve, reject) => {
    running = within(async (begun) => {
      resolve(begun);
      await ended;
    });
    running.catch(reject);
  });
  return {
    environment,
    async stop() {
      end();
      await running;
    },
  };
}
