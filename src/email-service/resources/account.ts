import { Type, type Static } from 'typebox';
import type { Account } from '../store/schema.ts';
import type { WindowUse } from './sending-limits.ts';
import { Timestamp, Word } from './wire-types.ts';

const LimitUse = Type.Object({
  limit: Type.Integer({ description: 'Emails that the account may send in this window.' }),
  used: Type.Integer({ description: 'Emails that it has sent in the current one.' }),
  ends_in: Type.Integer({ description: 'Seconds until the current one ends; all of them, if none has begun.' }),
});

/** Who pauses an account that bounces too much; else it is the name of an operator token. */
export const BY_BOUNCE_RATE = 'bounce_rate';
const By = Type.String({
  description: `The name of the operator token; \`${BY_BOUNCE_RATE}\`, if the email service did it.`,
});

const Pause = Type.Unsafe<{ at: string; by: string; reason: string } | null>({
  type: ['object', 'null'],
  properties: { at: Timestamp, by: By, reason: Type.String() },
  required: ['at', 'by', 'reason'],
});

const ACCOUNT_STATUSES = ['active', 'paused'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];
export const AccountStatus = Word(ACCOUNT_STATUSES, 'While it is paused, it sends nothing, and what is queued waits.');

const standing = {
  id: Type.String(),
  name: Type.String({ description: "The caller's name for the account." }),
  status: AccountStatus,
  pause: Pause,
};
const created = { created_at: Timestamp };

/** An account as the list of all shows it. */
export const ListedAccount = Type.Object({ ...standing, ...created });

const state = {
  ...standing,
  bounces: Type.Object(
    { delivered: Type.Integer(), bounced: Type.Integer() },
    {
      description:
        'Emails of the last 24 hours that were delivered, and that bounced because their address is refused for good; since it was resumed.',
    },
  ),
  ...created,
};

/** What events about an account carry. */
export const AccountEventData = Type.Object({
  ...state,
  change: Type.Object({ by: By, reason: Type.String() }, { description: 'Who or what caused the event, and why.' }),
});

export const AccountResource = Type.Object(
  {
    ...state,
    limits: Type.Object(
      { minute: LimitUse, hour: LimitUse, day: LimitUse },
      { description: 'A window begins with the first email after the end of the one before.' },
    ),
  },
  { description: 'The owner of keys, domains, senders, emails and webhooks.' },
);
export type AccountResource = Static<typeof AccountResource>;

/** Who or what changes an account, and why. */
export interface AccountChange {
  readonly by: string;
  readonly reason: string;
}

export interface Outcomes {
  readonly delivered: number;
  /** For good, because of the address. */
  readonly bounced: number;
}

export const listedAccount = (row: Account): Static<typeof ListedAccount> => ({
  id: row.id,
  name: row.name,
  status: row.paused_at === null ? 'active' : 'paused',
  pause: row.paused_at === null ? null : { at: row.paused_at, by: row.paused_by ?? '', reason: row.pause_reason ?? '' },
  created_at: row.created_at,
});

export const accountState = (row: Account, bounces: Outcomes): Omit<AccountResource, 'limits'> => ({
  ...listedAccount(row),
  bounces,
});

export function accountResource(row: Account, bounces: Outcomes, uses: readonly WindowUse[]): AccountResource {
  const of = (window: WindowUse['name']) => {
    const { limit = 0, used = 0, endsInSeconds = 0 } = uses.find(({ name }) => name === window) ?? {};
    return { limit, used, ends_in: endsInSeconds };
  };
  return { ...accountState(row, bounces), limits: { minute: of('minute'), hour: of('hour'), day: of('day') } };
}
