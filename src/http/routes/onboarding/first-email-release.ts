import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { audit } from '../../audit.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { noOnboarding } from '../../no-onboarding.ts';
import { ReleasedEmail, ReleaseEmailRequest } from '../../schemas/onboarding-changes.ts';
import { TenantParams } from '../../schemas/onboarding.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

/** Only a person who has looked at the provider can decide that an email was not sent. */
export function firstEmailReleaseRoute(
  app: HttpApp,
  { views, register, intents }: Pick<HttpDependencies, 'views' | 'register' | 'intents'>,
): void {
  app.post(
    '/onboardings/:tenantId/first-email/release',
    {
      schema: {
        operationId: 'releaseFirstEmail',
        summary: 'Allow a first email whose outcome is unknown to be sent once more',
        description:
          'For an onboarding that failed with SendOutcomeUnknown, after you have seen at the provider that the email was not accepted. Sends nothing: start the onboarding again with the same input. If the provider did accept the email, the recipient gets it twice.',
        params: TenantParams,
        body: ReleaseEmailRequest,
        response: { 200: ReleasedEmail, ...problemResponses('withBody', 'not_found', 'update_refused') },
      },
    },
    async (request) => {
      const { tenantId } = request.params;
      const { by, reason } = request.body;
      const { outcome, failure, onboarding } = (await views.get(tenantId)) ?? noOnboarding(tenantId);
      if (onboarding.provider === undefined)
        throw refused(
          `The onboarding of ${tenantId} is at the email service, which recognizes a repeated request: no email there has to be released. Start the onboarding again with the same input.`,
        );
      if (failure?.type !== 'SendOutcomeUnknown') {
        const found = failure === null ? `is ${outcome}` : `failed with ${failure.type}`;
        throw refused(
          `The onboarding of ${tenantId} ${found}: only the first email of one that failed with SendOutcomeUnknown can be released.`,
        );
      }
      const { provider, recipient, since } = failure.details;
      await audit(request, register, tenantId, { request: 'release_email', by, reason });
      const released = await intents.release(
        { provider, tenantId, notedAt: since },
        { by, reason, at: new Date().toISOString() },
      );
      if (released === 'reported')
        throw refused(
          `${provider} has reported the email to ${recipient} meanwhile, so it was sent. Start the onboarding again with the same input: it adopts that email.`,
        );
      if (released === 'none')
        throw refused(`The email to ${recipient} was released before. Start the onboarding again with the same input.`);
      return { tenantId, provider, recipient, since };
    },
  );
}

const refused = (detail: string): ProblemError => new ProblemError('update_refused', detail);
