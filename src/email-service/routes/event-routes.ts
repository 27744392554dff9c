import { Type } from 'typebox';
import { accountOf } from '../authentication.ts';
import { refusal } from '../errors.ts';
import { EventResource, eventResource } from '../resources/event.ts';
import { problemResponses } from '../resources/problem.ts';
import { oneLine } from '../resources/request-fields.ts';
import { NullableString } from '../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { findEventNumber, readEventsAfter } from '../store/event-pages.ts';

const LIMIT = { most: 100, otherwise: 50 };

const EventsQuery = Type.Object(
  {
    after: Type.Optional(
      oneLine({ minLength: 1, maxLength: 100, description: 'The id of the last event already known.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMIT.most, description: `${LIMIT.otherwise} when left out.` }),
    ),
  },
  { additionalProperties: false },
);

const EventPage = Type.Object(
  {
    data: Type.Array(EventResource),
    next_cursor: Type.Unsafe<string | null>({
      ...NullableString,
      description: 'What to send as after for the next page; null when this was the last one.',
    }),
  },
  { description: 'Events, oldest first.' },
);

export function eventRoutes(app: EmailServiceApp, { store }: ServiceParts): void {
  app.get(
    '/events',
    {
      schema: {
        operationId: 'listEvents',
        summary: "The account's events, oldest first",
        querystring: EventsQuery,
        response: { 200: EventPage, ...problemResponses('withoutBody', 'validation_failed') },
      },
      preValidation: async (request) => {
        numberIn(request.query, 'limit');
      },
    },
    async (request) => {
      const accountId = accountOf(request);
      const { after, limit = LIMIT.otherwise } = request.query;
      const number = after === undefined ? 0 : await findEventNumber(store, accountId, after);
      if (number === undefined) {
        const detail = `This account has no event with the id ${JSON.stringify(after)}. Leave after out to start with the oldest.`;
        throw refusal([{ pointer: '/after', code: 'event_not_found', detail }]);
      }
      // One more than asked for says whether there is a next page.
      const rows = await readEventsAfter(store, accountId, number, limit + 1);
      const page = rows.slice(0, limit);
      return { data: page.map(eventResource), next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
    },
  );
}

/** A query string has only text, and the schema takes only numbers: what is written as one becomes one first. */
function numberIn(query: object, name: string): void {
  const value: unknown = Reflect.get(query, name);
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) Reflect.set(query, name, Number(value));
}
