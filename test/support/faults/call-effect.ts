import { type Answer, readJson, writeJson } from './exchange.ts';
import type { CallEffect, Hold } from './fault.ts';

/** What the caller gets to see; `silence` is an open connection, `reset` a broken one. */
export type CallOutcome = Answer | 'silence' | 'reset';

/**
 * Does to one call what the script says. Throws what `forward` and `over` throw.
 *
 * @param forward asks the email service
 */
export async function carryOut(
  effect: CallEffect | undefined,
  { forward, over }: { forward: () => Promise<Answer>; over: (hold: Hold) => Promise<unknown> },
): Promise<CallOutcome> {
  if (effect === undefined) return forward();
  switch (effect.kind) {
    case 'answer': {
      const { status, headers = {}, body } = effect.answer;
      return { status, headers, body: Buffer.from(body, 'utf8') };
    }
    case 'hold': {
      if (effect.what === 'request') await over(effect.until);
      const answer = await forward();
      if (effect.what === 'answer') await over(effect.until);
      return answer;
    }
    case 'silence':
    case 'reset':
      if (effect.worked) await forward();
      return effect.kind;
    case 'alter': {
      const answer = await forward();
      const content = answer.status >= 200 && answer.status <= 299 ? readJson(answer.body) : undefined;
      return content === undefined ? answer : { ...answer, body: writeJson(effect.alter(content)) };
    }
  }
}
