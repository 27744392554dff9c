import { durationMs, DURATION_FORMS } from '../../../lib/duration.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { refusal } from '../../../lib/http/problem.ts';
import { queryBoolean, queryNumber } from '../../../lib/http/query-values.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { cursorOf, positionOf, toPage } from '../../page.ts';
import { OnboardingPageSchema } from '../../schemas/onboarding.ts';
import { OnboardingListQuery } from '../../schemas/onboarding-list.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

const LIST = 'onboardings';
const LIMIT_DEFAULT = 50;

/** Finds onboardings by what the register knows of them. */
export function onboardingListRoute(app: HttpApp, { views }: Pick<HttpDependencies, 'views'>): void {
  app.get(
    '/onboardings',
    {
      schema: {
        operationId: 'listOnboardings',
        summary: 'Onboardings that meet every given condition, the latest start first',
        querystring: OnboardingListQuery,
        response: { 200: OnboardingPageSchema, ...problemResponses('withoutBody', 'validation_failed') },
      },
      preValidation: [queryNumber('limit'), queryBoolean('needs_attention'), queryBoolean('stuck')],
    },
    async ({ query }) => {
      const { stage, outcome, exit, finding, needs_attention, stuck, waiting_longer_than, q } = query;
      const { limit = LIMIT_DEFAULT, cursor } = query;
      const after = positionOf(LIST, cursor);
      const entries = await views.list(
        {
          ...{ stage, outcome, exit, finding, needsAttention: needs_attention, stuck, text: q },
          waitingSinceBefore: waiting_longer_than === undefined ? undefined : timeBefore(waiting_longer_than),
        },
        // One more than the page shows whether another page follows.
        { limit: limit + 1, after: after && { startedAt: after[0], tenantId: after[1] } },
      );
      return toPage(entries, limit, ({ startedAt, tenantId }) => cursorOf(LIST, [startedAt, tenantId]));
    },
  );
}

/** Longer than any onboarding; a later time would not be a date. */
const WAITING_MS_MAX = 3_650 * 86_400_000;

function timeBefore(duration: string): string {
  const ms = durationMs(duration);
  if (ms !== undefined && ms <= WAITING_MS_MAX) return new Date(Date.now() - ms).toISOString();
  const found = JSON.stringify(duration).slice(0, 80);
  const detail = `waiting_longer_than must be a duration of at most 3650d, written as ${DURATION_FORMS}; found ${found}.`;
  throw refusal([{ pointer: '/waiting_longer_than', code: 'malformed', detail }]);
}
