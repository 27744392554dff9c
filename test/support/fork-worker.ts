import { fork } from 'node:child_process';
import { once } from 'node:events';
import { workflowsPath } from '../../src/worker.ts';
import { workflowCode } from './workflow-bundle.ts';

export interface ForkedWorker {
  /** Blocks its event loop, as a long computation does; it polls on. Resolves when it is blocked. */
  block(ms: number): Promise<void>;
  kill(): void;
}

/** A Worker of the onboardings' Task Queue in a process of its own, which polls. */
export async function forkWorker(address: string, namespace: string): Promise<ForkedWorker> {
  const { codePath } = (await workflowCode(workflowsPath)).workflowBundle;
  const child = fork(new URL('./blocked-worker.ts', import.meta.url), [address, namespace, codePath], {
    execArgv: ['--import', 'tsx'],
  });
  await once(child, 'message');
  return {
    async block(ms) {
      child.send({ blockMs: ms });
      await once(child, 'message');
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
