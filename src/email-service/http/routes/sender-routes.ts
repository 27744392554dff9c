import { Type } from 'typebox';
import { accountOf } from '../../auth/authentication.ts';
import { lockName } from '../../../lib/sql/transactions.ts';
import { splitAddress } from '../../../lib/mail-rules/mail-address-fault.ts';
import { displayNameFault, readSender } from '../../../lib/mail-rules/read-sender.ts';
import { faultAt, ProblemError, refuseIfAny } from '../../../lib/http/problem.ts';
import { maySend } from '../../resources/domain.ts';
import { newId } from '../../resources/resource-ids.ts';
import { notFound } from '../not-found.ts';
import { problemResponses } from '../schemas/problem.ts';
import { IdParams, oneLine } from '../schemas/request-fields.ts';
import { SenderResource, senderResource } from '../../resources/sender.ts';
import { nullableString } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { findDomainByName } from '../../store/domains.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { findSenderByAddress, insertSender, renameSender } from '../../store/senders.ts';
import { softDelete } from '../../store/soft-delete.ts';
import { deleteRoute } from './delete-route.ts';

const SenderRequest = Type.Object(
  {
    from_address: oneLine({
      minLength: 1,
      maxLength: 1000,
      description:
        'An address on a verified domain of the account, alone or after a display name (RFC 5322): `Acme <hello@acme.com>`.',
    }),
    name: Type.Optional(
      oneLine({
        minLength: 1,
        maxLength: 200,
        description: 'The display name that recipients see, unless `from_address` has it.',
      }),
    ),
  },
  { additionalProperties: false },
);

const SenderChange = Type.Object(
  {
    name: nullableString('The display name that recipients see, of 1 to 200 characters.'),
  },
  { additionalProperties: false },
);

const senderFields = { address: '/from_address', name: '/name' };

export function senderRoutes(app: EmailServiceApp, { store, now, createOnce }: ServiceParts): void {
  app.post(
    '/senders',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'createSender',
        summary: 'Create a sender on a verified domain',
        body: SenderRequest,
        response: { 201: SenderResource, ...problemResponses('withBody', 'domain_not_verified', 'already_exists') },
      },
    },
    (request, reply) =>
      createOnce(request, reply, () => {
        const accountId = accountOf(request);
        const { from_address: given, name: beside } = request.body;
        const { address: fromAddress, name = null, faults } = readSender({ address: given, name: beside });
        refuseIfAny(faults.map(({ field, ...fault }) => ({ pointer: senderFields[field], ...fault })));
        const { domain } = splitAddress(fromAddress);
        return {
          async create(transaction) {
            await lockName(transaction, `sender/${accountId}/${fromAddress}`);
            const domainId = await verifiedDomainId(transaction, accountId, domain);
            await refuseDuplicate(transaction, accountId, { fromAddress, name, domainId }, now());
            const row = {
              id: newId('snd'),
              account_id: accountId,
              domain_id: domainId,
              from_address: fromAddress,
              name,
              created_at: now().toISOString(),
              deleted_at: null,
            };
            await insertSender(transaction, row);
            return { status: 201, body: senderResource(row) };
          },
        };
      }),
  );

  app.patch(
    '/senders/:id',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'renameSender',
        summary: 'Change the display name of a sender; null removes it',
        description: 'Emails of which an attempt was made keep the name that they have.',
        params: IdParams,
        body: SenderChange,
        response: { 200: SenderResource, ...problemResponses('withBody', 'not_found') },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { name } = request.body;
      refuseIfAny(faultAt('/name', displayNameFault(name ?? undefined)));
      const row = await renameSender(store, { accountId: accountOf(request), id, name });
      if (row === undefined) throw notFound('sender', id);
      return senderResource(row);
    },
  );

  deleteRoute(app, {
    path: '/senders/:id',
    schema: { operationId: 'deleteSender', summary: 'Delete a sender; emails already accepted are still sent' },
    what: 'sender',
    remove: (request, id) => softDelete(store, 'senders', { accountId: accountOf(request), id, now: now() }),
  });
}

async function verifiedDomainId(transaction: StoreTransaction, accountId: string, name: string): Promise<string> {
  const domain = await findDomainByName(transaction, accountId, name);
  if (domain === undefined) {
    throw new ProblemError(
      'domain_not_verified',
      `The domain ${name} is not registered in this account. Register it with POST /domains; create the sender after its status is verified.`,
    );
  }
  if (!maySend(domain.status)) {
    throw new ProblemError(
      'domain_not_verified',
      `The domain ${name} is not verified. GET /domains/${domain.id} shows what is missing; create the sender after its status is verified.`,
    );
  }
  return domain.id;
}

async function refuseDuplicate(
  transaction: StoreTransaction,
  accountId: string,
  { fromAddress, name, domainId }: { fromAddress: string; name: string | null; domainId: string },
  now: Date,
): Promise<void> {
  const existing = await findSenderByAddress(transaction, accountId, fromAddress);
  if (existing === undefined) return;
  if (existing.domain_id === domainId) {
    const found = existing.name === null ? 'no display name' : `the display name ${JSON.stringify(existing.name)}`;
    const advice = existing.name === name ? '' : ` It has ${found}; to change that: PATCH /senders/${existing.id}.`;
    throw new ProblemError(
      'already_exists',
      `This account already has the sender ${fromAddress}: ${existing.id}.${advice}`,
      { existingId: existing.id },
    );
  }
  // The existing sender belongs to a deleted domain of the same name and can never send again.
  await softDelete(transaction, 'senders', { accountId, id: existing.id, now });
}
