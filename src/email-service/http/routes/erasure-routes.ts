import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { counted } from '../../../lib/counted.ts';
import { faultAt, ProblemError, refuseIfAny } from '../../../lib/http/problem.ts';
import { readIdempotencyKey } from '../../../lib/http/read-idempotency-key.ts';
import { mailAddressFault } from '../../../lib/mail-rules/mail-address-fault.ts';
import { accountToList, callerName, callerOf } from '../../auth/authentication.ts';
import { ERASED_KINDS, ErasedCounts } from '../../resources/erasure.ts';
import { accountsWith, countQueued, eraseRecipient, type QueuedEmails } from '../../store/erasures.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';

const ErasureRequest = Type.Object(
  {
    recipient: oneLine({ minLength: 1, maxLength: 1000, description: 'The address, in any case.' }),
    account: Type.Optional(
      oneLine({
        minLength: 1,
        maxLength: 200,
        description:
          "The caller's name for the account. With the operator token, all accounts if it is left out; an API key can name only its own.",
      }),
    ),
  },
  { additionalProperties: false },
);

export function erasureRoutes(app: EmailServiceApp, { store, sealer, now }: ServiceParts): void {
  app.post(
    '/erasures',
    {
      config: { access: { scope: 'manage', operator: true } },
      schema: {
        operationId: 'eraseRecipient',
        summary: 'Erase a recipient from emails, events, suppressions and Idempotency-Keys',
        description:
          'Emails keep their id, status and times; a suppression of the address still holds. Refused while an email to the address, or to another recipient of the same message, is queued. A call that was cut off is continued by the next one, which counts what both have erased; a repetition of one that was not erases what has come since.',
        body: ErasureRequest,
        response: { 200: ErasedCounts, ...problemResponses('withBody', 'not_found', 'emails_queued') },
      },
    },
    async (request) => {
      // Only validated: a stored answer would keep a hash of the address, and a repeat erases nothing again.
      readIdempotencyKey(request.headers['idempotency-key']);
      const { recipient } = request.body;
      refuseIfAny(faultAt('/recipient', mailAddressFault(recipient)));
      const accountIds = await accountsOf(request);
      const queued = { own: 0, others: 0 };
      for (const accountId of accountIds) {
        const { own, others } = await countQueued(store, { accountId, recipient });
        queued.own += own;
        queued.others += others;
      }
      if (queued.own + queued.others > 0) throw emailsQueued(queued);
      const erased = { accounts: 0, emails: 0, attempts: 0, events: 0, suppressions: 0, idempotency_keys: 0 };
      for (const accountId of accountIds) {
        const counts = await eraseRecipient(store, sealer, { accountId, recipient, by: callerName(request), now });
        request.log.info({ accountId, ...counts }, 'recipient erased');
        if (ERASED_KINDS.some((kind) => counts[kind] > 0)) erased.accounts += 1;
        for (const kind of ERASED_KINDS) erased[kind] += counts[kind];
      }
      return erased;
    },
  );

  async function accountsOf(
    request: FastifyRequest & { readonly body: { readonly recipient: string; readonly account?: string } },
  ): Promise<readonly string[]> {
    const { recipient, account } = request.body;
    if (callerOf(request).kind === 'account' || account !== undefined)
      return [await accountToList(store, request, account)];
    return accountsWith(store, sealer, recipient);
  }
}

function emailsQueued({ own, others }: QueuedEmails): ProblemError {
  const are = (count: number): string => (count === 1 ? 'is' : 'are');
  const sentences = [
    ...(own === 0
      ? []
      : [
          `${counted(own, 'email')} to this address ${are(own)} still queued: PUT /suppressions/{address} lets them bounce instead of being sent.`,
        ]),
    ...(others === 0
      ? []
      : [
          `${counted(others, 'email')} to other recipients of the same message ${are(others)} still queued, and the header names this address: recipients of GET /emails/{id}, of an email to this address, lists them.`,
        ]),
  ];
  const end =
    'Repeat the request when all are delivered or bounced; POST /emails/{id}/cancel ends one of which no attempt has begun.';
  return new ProblemError('emails_queued', [...sentences, end].join(' '));
}
