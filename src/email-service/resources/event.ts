import { Type, type Static } from 'typebox';
import type { EventTable } from '../store/schema.ts';
import { sameFields, Timestamp, Word } from './wire-types.ts';

export const EVENT_TYPES = [
  'email.delivered',
  'email.bounced',
  'email.deferred',
  'email.late_bounced',
  'email.complained',
  'domain.verified',
  'domain.drifted',
  'domain.recovered',
  'domain.dkim_rotated',
  'account.warned',
  'account.paused',
  'account.resumed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const EventResource = Type.Object(
  {
    id: Type.String({ description: 'Also the webhook-id header of every post of this event.' }),
    type: Word(EVENT_TYPES),
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
