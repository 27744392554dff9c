import { startDevServer, type StartDevServerOptions } from '../../src/dev/temporal/start-dev-server.ts';
import { isRunning } from '../../src/dev/temporal/is-running.ts';
import type { Killable, OwnEnd } from './killable.ts';
import { replacedServer } from './replaced-server.ts';

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
  return {
    address: first.address,
    ownEnds,
    ...replacedServer(first, {
      kill: ({ pid }) => {
        if (isRunning(pid)) process.kill(-pid, 'SIGKILL');
        else ownEnds.push({ at: new Date().toISOString(), words: `process ${pid} was found ended` });
      },
      again: () => startDevServer(options),
    }),
  };
}
