import { type DevServer, startDevServer, type StartDevServerOptions } from '../../src/dev/temporal/start-dev-server.ts';
import { isRunning } from '../../src/dev/temporal/is-running.ts';
import type { Killable, OwnEnd } from './killable.ts';

export interface SupervisedDevServer extends Killable {
  /** `127.0.0.1:PORT`, the same after every start. */
  readonly address: string;
}

/** A dev server on a data file, and another one on the same file whenever it was killed. Resolves when it can be used. */
export async function superviseDevServer(
  options: StartDevServerOptions & { readonly dataFile: string; readonly port: number; readonly uiPort: number },
): Promise<SupervisedDevServer> {
  const ownEnds: OwnEnd[] = [];
  const first = await startDevServer(options);
  let server: Promise<DevServer> = Promise.resolve(first);
  let stopping: Promise<void> | undefined;

  return {
    address: first.address,
    ownEnds,
    async kill() {
      const alive = await server;
      if (isRunning(alive.pid)) process.kill(-alive.pid, 'SIGKILL');
      else ownEnds.push({ at: new Date().toISOString(), words: `process ${alive.pid} was found ended` });
      // Waits for its end, and gives the data file free.
      await alive.stop();
      if (stopping !== undefined) return;
      server = startDevServer(options);
      // The next kill or stop reports a failed start.
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
