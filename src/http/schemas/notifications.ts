import { Type } from 'typebox';
import { type OnboardingEventType, eventTypes, isNotified } from '../../onboarding/onboarding-events.ts';
import { notificationStatuses, type StoredNotification } from '../../store/upkeep/notification-queue.ts';
import { NullableString, NullableTime, pageOf, sharedSchema, strictObject, Time, words } from './shared-schema.ts';

const status = words(notificationStatuses);
const type = words((Object.keys(eventTypes) as OnboardingEventType[]).filter(isNotified));

export const NotificationParams = Type.Object({ id: Type.String({ description: 'The `webhook-id`: `evt_…`.' }) });

export const NotificationsQuery = strictObject({
  tenant: Type.Optional(Type.String({ maxLength: 128, description: "A tenant's ID." })),
  status: Type.Optional(status),
  type: Type.Optional(type),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 20.' })),
  cursor: Type.Optional(
    Type.String({ pattern: '^[0-9]{1,15}$', description: 'The `next_cursor` of the previous page.' }),
  ),
});

export const NotificationViewSchema = sharedSchema<StoredNotification>()(
  'NotificationView',
  'A notification to the backend, and its delivery.',
  Type.Object({
    id: Type.String({ description: 'The `webhook-id` of every delivery.' }),
    position: Type.Integer({ description: 'Its place in the order of all events.' }),
    tenantId: Type.String(),
    type,
    at: Time,
    data: Type.Unsafe<StoredNotification['data']>({
      type: 'object',
      additionalProperties: true,
      description: 'As in the webhook of its type, without `tenantId`.',
    }),
    status,
    attempts: Type.Integer({ description: 'Since it happened or was last replayed.' }),
    lastAttemptAt: NullableTime,
    lastError: NullableString,
    deliveredAt: NullableTime,
    replayedAt: NullableTime,
  }),
);

export const NotificationPageSchema = pageOf(NotificationViewSchema.ref, 'A page of notifications, the latest first.');
