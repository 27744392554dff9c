import type { Selectable } from 'kysely';
import { Type, type Static } from 'typebox';
import type { ErasureTable } from '../store/schema.ts';
import type { Bounce, EmailResource, LateBounce } from './email.ts';
import { nullableTimestamp, pick, sameFields, Timestamp } from './wire-types.ts';

export const ERASED_KINDS = ['emails', 'attempts', 'events', 'suppressions', 'idempotency_keys'] as const;
export type ErasedCounts = Readonly<Record<(typeof ERASED_KINDS)[number], number>>;

const counts = {
  emails: Type.Integer({ description: 'Emails to the address; each stays with its id, status and times.' }),
  attempts: Type.Integer({ description: 'Delivery attempts of them, of which the replies were erased.' }),
  events: Type.Integer({
    description: 'Events about emails to the address, also those that webhooks have yet to send.',
  }),
  suppressions: Type.Integer({ description: 'Entries of the suppression list, of which a keyed hash still holds.' }),
  idempotency_keys: Type.Integer({ description: 'Idempotency-Keys of which a keyed hash still holds.' }),
};

export const ErasedCounts = Type.Object(
  {
    accounts: Type.Integer({ description: 'Accounts in which something was erased.' }),
    ...counts,
  },
  { description: 'How many rows of each kind were erased.' },
);

export const ErasureResource = Type.Object(
  {
    id: Type.String(),
    requested_by: Type.String({ description: 'The id of the API key, or the name of the operator token.' }),
    requested_at: Timestamp,
    finished_at: nullableTimestamp(),
    ...counts,
  },
  { description: 'The record of an erasure, without the address.' },
);
export type ErasureResource = Static<typeof ErasureResource>;

export const erasureResource = (row: Selectable<ErasureTable>): ErasureResource => sameFields(ErasureResource, row);

/** A text of a server or a person may name the recipient in any way, so it leaves as a whole. */
const ERASED_REASON = 'The text was erased with the recipient.';

/** What an attempt had from its server, whose name may be that of a person's own domain. */
export const erasedAttempt = { remote_mta: null, diagnostic: null } as const;

export const erasedBounce = (bounce: Bounce): Bounce => ({
  ...pick(bounce, ['category', 'permanent', 'permanent_for']),
  reason: ERASED_REASON,
  ...pick(bounce, ['smtp_code', 'enhanced_code', 'attempt']),
  ...erasedAttempt,
});

export const erasedLateBounce = (late: LateBounce): LateBounce => ({
  ...pick(late, ['at', 'code', 'category', 'permanent']),
  reason: ERASED_REASON,
});

/** Field by field, so that a new one is erased until it is named here. */
export const erasedEmail = (email: EmailResource, erasedAt: string): EmailResource => ({
  ...pick(email, ['id', 'status', 'sender_id']),
  ...{ recipient: '', subject: '', metadata: {}, tags: [] },
  message_id: email.message_id,
  attempts: email.attempts.map((attempt) => ({
    ...pick(attempt, ['number', 'outcome', 'smtp_code', 'enhanced_code', 'tls', 'started_at', 'finished_at']),
    ...erasedAttempt,
  })),
  ...(email.bounce === undefined ? {} : { bounce: erasedBounce(email.bounce) }),
  ...pick(email, ['delivered_at']),
  ...(email.late_bounce === undefined ? {} : { late_bounce: erasedLateBounce(email.late_bounce) }),
  ...pick(email, ['complaint']),
  erased_at: erasedAt,
  ...pick(email, ['created_at', 'scheduled_at', 'expires_at']),
});

/** What stays of the reason of a suppression. */
export const ERASED_SUPPRESSION_REASON = 'The address was suppressed before it was erased.';
