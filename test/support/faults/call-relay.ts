import type { AccountBook } from './account-book.ts';
import { type CallOutcome, carryOut } from './call-effect.ts';
import { type Answer, type Call, headerOf, pathOf } from './exchange.ts';
import type { CallEffect, Hold } from './fault.ts';
import type { FaultScript } from './fault-script.ts';
import type { WebhookReceivers } from './webhook-receivers.ts';

/** One request of a caller. Holds nothing of its other headers or its body. */
export interface RecordedCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly account: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** What the script did to it. */
  readonly fault: CallEffect['kind'] | undefined;
  /** What the caller got to see; null: nothing, or nothing yet. */
  readonly status: number | null;
}

export interface CallRelay {
  /** Throws what `forward` throws. */
  take(call: Call): Promise<CallOutcome>;
  calls(): readonly RecordedCall[];
}

export interface CallRelayParts {
  readonly script: Pick<FaultScript, 'forCall'>;
  readonly accounts: AccountBook;
  readonly receivers: Pick<WebhookReceivers, 'redirect' | 'restore'>;
  /** Asks the email service. */
  readonly forward: (call: Call) => Promise<Answer>;
  readonly over: (hold: Hold) => Promise<unknown>;
}

/** Forwards calls to the email service, or applies the scripted fault. */
export function createCallRelay({ script, accounts, receivers, forward, over }: CallRelayParts): CallRelay {
  const recorded: (Omit<RecordedCall, 'status'> & { status: number | null })[] = [];
  return {
    async take(call) {
      const { method } = call;
      const path = pathOf(call.url);
      const account = accounts.accountOf(call);
      const effect = script.forCall({ method, path, account })?.effect;
      const idempotencyKey = headerOf(call, 'idempotency-key');
      const record: (typeof recorded)[number] = {
        method,
        path,
        account,
        idempotencyKey,
        fault: effect?.kind,
        status: null,
      };
      recorded.push(record);
      const outcome = await carryOut(effect, {
        async forward() {
          const answer = await forward(receivers.redirect(call, account));
          // Before the script may lose it: a repetition is answered with the same token and secret.
          accounts.learnFrom(call, answer);
          return receivers.restore(call, answer);
        },
        over,
      });
      if (typeof outcome === 'object') record.status = outcome.status;
      return outcome;
    },
    calls: () => recorded.map((record) => ({ ...record })),
  };
}
