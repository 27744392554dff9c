import { Type } from 'typebox';
import { accountOf } from '../../auth/authentication.ts';
import { refusal } from '../../../lib/http/problem.ts';
import { EventResource, eventResource } from '../../resources/event.ts';
import { Limit, LIMIT, pageOf, toPage } from '../schemas/page.ts';
import { queryNumber } from '../../../lib/http/query-values.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { findEventNumber, readEventsAfter } from '../../store/events.ts';

const EventsQuery = Type.Object(
  {
    after: Type.Optional(
      oneLine({ minLength: 1, maxLength: 100, description: 'The id of the last event that the caller has seen.' }),
    ),
    limit: Type.Optional(Limit),
  },
  { additionalProperties: false },
);

const EventPage = pageOf(
  EventResource,
  'Events, oldest first.',
  'Send as `after` to get the next page; null on the last page.',
);

export function eventRoutes(app: EmailServiceApp, { store }: ServiceParts): void {
  app.get(
    '/events',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'listEvents',
        summary: "List the account's events, oldest first",
        querystring: EventsQuery,
        response: { 200: EventPage, ...problemResponses('withoutBody', 'validation_failed') },
      },
      preValidation: queryNumber('limit'),
    },
    async (request) => {
      const accountId = accountOf(request);
      const { after, limit = LIMIT.otherwise } = request.query;
      const number = after === undefined ? 0 : await findEventNumber(store, accountId, after);
      if (number === undefined) {
        const detail = `This account has no event with the id ${JSON.stringify(after)}. Old events are deleted. Omit after to start with the oldest that is kept.`;
        throw refusal([{ pointer: '/after', code: 'event_not_found', detail }]);
      }
      // One more than requested, which shows whether there is a next page.
      return toPage(await readEventsAfter(store, accountId, number, limit + 1), limit, eventResource);
    },
  );
}
