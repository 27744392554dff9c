import type { RelayedExchange, RelayOutcome, RelayReply } from '../../../src/dev/relay.ts';
import { type CallEffect, over } from './fault.ts';
import type { FaultScript } from './fault-script.ts';
import { readJson, withoutQuery } from './read-json.ts';
import type { WebhookReceivers } from './webhook-receivers.ts';

/** One request of a caller. Holds nothing of its other headers or its body. */
export interface RecordedCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Name of its account; undefined if its API key was not created through the proxy. */
  readonly account: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** What the script did to it. */
  readonly fault: CallEffect['kind'] | undefined;
  /** What the caller got to see; null: nothing, or nothing yet. */
  readonly status: number | null;
}

export interface CallRelay {
  take(call: RelayedExchange): Promise<RelayOutcome>;
  calls(): readonly RecordedCall[];
}

export interface CallRelayParts {
  readonly script: Pick<FaultScript, 'forCall'>;
  readonly receivers: Pick<WebhookReceivers, 'redirect' | 'restore'>;
  /** Asks the email service. */
  readonly forward: (call: RelayedExchange) => Promise<RelayReply | 'reset'>;
}

/** Forwards calls to the email service, or applies the scripted fault. */
export function createCallRelay({ script, receivers, forward }: CallRelayParts): CallRelay {
  const recorded: (Omit<RecordedCall, 'status'> & { status: number | null })[] = [];
  /** By Authorization: POST /api-keys names the account, and its answer holds the token. */
  const accounts = new Map<unknown, string>();
  return {
    async take(call) {
      const { method, requestHeaders } = call;
      const path = withoutQuery(call.path);
      const named = method === 'POST' && path === '/api-keys' ? readJson(call.requestBody)?.['account'] : undefined;
      const account = typeof named === 'string' ? named : accounts.get(requestHeaders.authorization);
      const effect = script.forCall({ method, path, account })?.effect;
      const idempotencyKey = requestHeaders['idempotency-key'] as string | undefined;
      const record: (typeof recorded)[number] = {
        ...{ method, path, account, idempotencyKey },
        ...{ fault: effect?.kind, status: null },
      };
      recorded.push(record);
      const outcome = await carryOut(effect, async () => {
        const answer = await forward(receivers.redirect(call, account));
        if (answer === 'reset') return answer;
        // Before the script may lose it: a repetition is answered with the same token and secret.
        const token = readJson(answer.body)?.['token'];
        if (typeof named === 'string' && typeof token === 'string') accounts.set(`Bearer ${token}`, named);
        return receivers.restore(call, answer);
      });
      if (typeof outcome === 'object') record.status = outcome.status;
      return outcome;
    },
    calls: () => recorded.map((record) => ({ ...record })),
  };
}

/** Does to one call what the script says. Throws what `alter` and a held promise throw. */
async function carryOut(
  effect: CallEffect | undefined,
  forward: () => Promise<RelayReply | 'reset'>,
): Promise<RelayOutcome> {
  switch (effect?.kind) {
    case undefined:
      return forward();
    case 'answer':
      return effect.answer;
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
      if (answer === 'reset' || answer.status < 200 || answer.status > 299) return answer;
      const content = readJson(answer.body);
      return content === undefined ? answer : { ...answer, body: JSON.stringify(effect.alter(content)) };
    }
  }
}
