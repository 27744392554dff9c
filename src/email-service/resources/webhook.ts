import { Type, type Static } from 'typebox';
import { EVENT_TYPES, type EventType } from './event.ts';
import type { WebhookTable } from '../store/schema.ts';
import { nullableTimestamp, sameFields, Timestamp, Word } from './wire-types.ts';

export const WebhookEvents = Type.Array(Word(EVENT_TYPES), { minItems: 1, uniqueItems: true });

export const WebhookResource = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: WebhookEvents,
    created_at: Timestamp,
    disabled_at: nullableTimestamp('When the receiver answered 410; nothing is posted after that.'),
  },
  { description: 'A URL that receives events.' },
);
export type WebhookResource = Static<typeof WebhookResource>;

/** Without the secret, which only the response to POST /webhooks contains. */
export const webhookResource = (row: WebhookTable): WebhookResource => ({
  ...sameFields(WebhookResource, row),
  events: JSON.parse(row.events) as EventType[],
});
