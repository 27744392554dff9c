import type { Killable } from './killable.ts';

interface Server {
  /** Also after its death, which it waits for. */
  stop(): Promise<void>;
}

/** Kills a server, and starts another one on the same data. @param again is a start of it; the next kill or stop reports its failure */
export function replacedServer<Running extends Server>(
  first: Running,
  { kill, again }: { readonly kill: (alive: Running) => void; readonly again: () => Promise<Running> },
): Pick<Killable, 'kill' | 'stop'> {
  let server: Promise<Running> = Promise.resolve(first);
  let stopping: Promise<void> | undefined;
  return {
    async kill() {
      const alive = await server;
      kill(alive);
      await alive.stop();
      if (stopping !== undefined) return;
      server = again();
      server.catch(() => undefined);
    },
    // A start that failed has left nothing to stop.
    stop: () =>
      (stopping ??= server.then(
        (alive) => alive.stop(),
        () => undefined,
      )),
  };
}
