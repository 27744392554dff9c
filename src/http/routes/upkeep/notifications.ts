import type { BackendNotifications } from '../../../client/upkeep/backend-notifications.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { queryNumber } from '../../../lib/http/query-values.ts';
import type { NotificationQueue } from '../../../store/upkeep/notification-queue.ts';
import {
  NotificationPageSchema,
  NotificationParams,
  NotificationsQuery,
  NotificationViewSchema,
} from '../../schemas/notifications.ts';
import { toPage } from '../../page.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

export interface NotificationDeliveries {
  readonly queue: Pick<NotificationQueue, 'get' | 'list' | 'replay'>;
  readonly wake: BackendNotifications['wake'];
}

const PAGE_LIMIT_DEFAULT = 20;

const view = NotificationViewSchema.ref;

/** @param deliveries undefined: every call answers `notifications_off` */
export function notificationRoutes(app: HttpApp, deliveries: NotificationDeliveries | undefined): void {
  if (deliveries === undefined) app.addHook('onRequest', refuse);
  // Behind that hook no handler runs.
  const { queue, wake } = deliveries ?? ({} as NotificationDeliveries);

  app.get(
    '/notifications',
    {
      schema: {
        operationId: 'listNotifications',
        summary: 'Notifications to the backend, the latest first',
        querystring: NotificationsQuery,
        response: {
          200: NotificationPageSchema,
          ...problemResponses('withoutBody', 'validation_failed', 'notifications_off'),
        },
      },
      preValidation: queryNumber('limit'),
    },
    async ({ query: { tenant, limit = PAGE_LIMIT_DEFAULT, cursor, ...filter } }) => {
      const before = cursor === undefined ? undefined : Number(cursor);
      const found = await queue.list({ ...filter, tenantId: tenant }, { limit: limit + 1, before });
      return toPage(found, limit, ({ position }) => String(position));
    },
  );

  app.get(
    '/notifications/:id',
    {
      schema: {
        operationId: 'getNotification',
        summary: 'A notification and its delivery',
        params: NotificationParams,
        response: { 200: view, ...problemResponses('withoutBody', 'not_found', 'notifications_off') },
      },
    },
    async ({ params: { id } }) => (await queue.get(id)) ?? noNotification(id),
  );

  app.post(
    '/notifications/:id/replay',
    {
      schema: {
        operationId: 'replayNotification',
        summary: "Deliver a notification again, with the same ID, after the tenant's pending ones",
        description: 'A pending notification does not change.',
        params: NotificationParams,
        response: { 202: view, ...problemResponses('withoutBody', 'not_found', 'notifications_off') },
      },
    },
    async ({ params: { id } }, reply) => {
      const notification = (await queue.replay(id, new Date().toISOString())) ?? noNotification(id);
      wake(notification.tenantId);
      reply.status(202);
      return notification;
    },
  );
}

function noNotification(id: string): never {
  throw new ProblemError('not_found', `Notification ${JSON.stringify(id)} does not exist.`);
}

async function refuse(): Promise<never> {
  throw new ProblemError(
    'notifications_off',
    'Set SENDOFF_NOTIFICATION_URL and SENDOFF_NOTIFICATION_SECRET, for the server and its Workers.',
  );
}
