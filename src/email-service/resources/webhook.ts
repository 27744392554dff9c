import { Type, type Static } from 'typebox';
import { EventType } from './event.ts';
import type { WebhookTable } from '../store/schema.ts';
import { NullableTimestamp, Timestamp, Word } from './wire-types.ts';

export const WebhookEvents = Type.Array(Word(Object.values(EventType)), { minItems: 1, uniqueItems: true });

export const WebhookResource = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: WebhookEvents,
    created_at: Timestamp,
    disabled_at: Type.Unsafe<string | null>({
      ...NullableTimestamp,
      description: 'Since when nothing is posted any more, because the receiver answered 410.',
    }),
  },
  { description: 'A URL that events are posted to.' },
);
export type WebhookResource = Static<typeof WebhookResource>;

/** The secret is never part of it; only the answer to POST /webhooks adds that. */
export const webhookResource = (row: WebhookTable): WebhookResource => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events) as EventType[],
  created_at: row.created_at,
  disabled_at: row.disabled_at,
});
