import { Type, type Static } from 'typebox';
import type { EventTable } from '../store/schema.ts';
import { sameFields, Timestamp, Word } from './wire-types.ts';

export const EventType = {
  emailDelivered: 'email.delivered',
  emailBounced: 'email.bounced',
  emailDeferred: 'email.deferred',
  emailLateBounced: 'email.late_bounced',
  emailComplained: 'email.complained',
  domainVerified: 'domain.verified',
  domainDrifted: 'domain.drifted',
  domainRecovered: 'domain.recovered',
  domainDkimRotated: 'domain.dkim_rotated',
  accountWarned: 'account.warned',
  accountPaused: 'account.paused',
  accountResumed: 'account.resumed',
} as const;

export type EventType = (typeof EventType)[keyof typeof EventType];

export const EventResource = Type.Object(
  {
    id: Type.String({ description: 'Also the webhook-id header of every post of this event.' }),
    type: Word(Object.values(EventType)),
    created_at: Timestamp,
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'The resource at the time of the event: an email, or a domain or account for the types that begin with `domain.` or `account.`.',
    }),
  },
  { description: 'A change of a resource.' },
);
export type EventResource = Static<typeof EventResource>;

export const eventResource = (row: EventTable): EventResource => ({
  ...sameFields(EventResource, row),
  type: row.type as EventType,
  data: JSON.parse(row.data) as Record<string, unknown>,
});
