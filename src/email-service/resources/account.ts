import { Type, type Static } from 'typebox';
import type { AccountTable } from '../store/schema.ts';
import { type WindowUse, WINDOWS } from './sending-limits.ts';
import { Timestamp } from './wire-types.ts';

const LimitUse = Type.Object({
  limit: Type.Integer({ description: 'Emails that the account may send in this window.' }),
  used: Type.Integer({ description: 'Emails that it has sent in the current one.' }),
  ends_in: Type.Integer({ description: 'Seconds until the current one ends; all of them, if none has begun.' }),
});

export const AccountResource = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "The caller's name for the account." }),
    limits: Type.Object(
      { minute: LimitUse, hour: LimitUse, day: LimitUse },
      { description: 'A window begins with the first email after the end of the one before.' },
    ),
    created_at: Timestamp,
  },
  { description: 'The owner of keys, domains, senders, emails and webhooks.' },
);
export type AccountResource = Static<typeof AccountResource>;

export const accountResource = (
  row: Pick<AccountTable, 'id' | 'name' | 'created_at'>,
  uses: readonly WindowUse[],
): AccountResource => ({
  id: row.id,
  name: row.name,
  limits: Object.fromEntries(
    WINDOWS.map(({ name }) => {
      const { limit = 0, used = 0, endsInSeconds = 0 } = uses.find((use) => use.name === name) ?? {};
      return [name, { limit, used, ends_in: endsInSeconds }];
    }),
  ) as unknown as AccountResource['limits'],
  created_at: row.created_at,
});
