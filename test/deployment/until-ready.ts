import { request } from 'undici';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import type { Program } from './start-deployment.ts';

/** A process needs seconds to come up, and several times as long beside others. */
const READY_WITHIN_MS = 60_000;

/** Resolves when `GET /readyz` of every program answers 200. Throws with the program that is not ready in time. */
export async function untilReady(
  programs: readonly Pick<Program, 'name' | 'url' | 'ownEnds'>[],
  signal: AbortSignal,
): Promise<void> {
  for (const { name, url, ownEnds } of programs) {
    let answered = 'no answer';
    const answers = async (): Promise<boolean> => {
      signal.throwIfAborted();
      const answer = await request(`${url}/readyz`).catch(() => undefined);
      if (answer !== undefined) answered = await answer.body.text();
      return answer?.statusCode === 200;
    };
    if (await waitUntil(answers, { timeoutMs: READY_WITHIN_MS, intervalMs: 100 })) continue;
    const lastEnd = ownEnds.at(-1);
    const ends = lastEnd === undefined ? '' : `; it ended ${ownEnds.length} times, last with ${lastEnd.words}`;
    throw new Error(`${name} was not ready within ${READY_WITHIN_MS / 1_000} s: ${answered}${ends}`);
  }
}
