export interface ScriptedReply {
  /** 4xx or 5xx, RFC 5321 section 4.2. */
  readonly code: number;
  /** RFC 3463. */
  readonly enhanced: string;
  readonly text: string;
}

export interface RefusalRule {
  /** The recipient's address, or a pattern for it. */
  readonly recipient: RegExp | string;
  readonly reply: ScriptedReply;
  /** @default 'rcpt' */
  readonly at?: 'rcpt' | 'data';
  /** How many times the rule applies. @default always */
  readonly times?: number;
}

export interface Refusals {
  add(rule: RefusalRule): void;
  /** The reply of the newest rule that matches; undefined if the recipient is accepted. */
  next(at: 'rcpt' | 'data', recipients: readonly string[]): ScriptedReply | undefined;
}

export function createRefusals(): Refusals {
  const rules: { rule: RefusalRule; left: number }[] = [];
  return {
    add(rule) {
      rules.unshift({ rule, left: rule.times ?? Number.POSITIVE_INFINITY });
    },
    next(at, recipients) {
      const hit = rules.find(
        ({ rule, left }) =>
          left > 0 && (rule.at ?? 'rcpt') === at && recipients.some((address) => matches(rule, address)),
      );
      if (hit === undefined) return undefined;
      hit.left -= 1;
      return hit.rule.reply;
    },
  };
}

function matches({ recipient }: RefusalRule, address: string): boolean {
  return typeof recipient === 'string' ? recipient.toLowerCase() === address.toLowerCase() : recipient.test(address);
}
