import type { FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { accountOf, marksOf } from '../../auth/authentication.ts';
import { mailAddressFault } from '../../../lib/mail-rules/mail-address-fault.ts';
import { faultAt, ProblemError, refuseIfAny } from '../../../lib/http/problem.ts';
import { inTransaction } from '../../../lib/sql/transactions.ts';
import { SuppressionResource, suppressionResource } from '../../resources/suppression.ts';
import {
  type AccountAddress,
  addSuppressions,
  findSuppression,
  removeSuppression,
  suppressedForm,
} from '../../store/suppressions.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';

const ADDRESSES_MAX = 1_000;
/** A thousand of the longest addresses, with the escapes of JSON. */
const IMPORT_BYTES_MAX = 1_000_000;
const BY_API = 'The address was put on the suppression list by hand.';

const reason = Type.Optional(
  oneLine({
    minLength: 1,
    maxLength: 500,
    description: 'Why, for people. An address that is suppressed keeps its first reason.',
  }),
);
const Reason = Type.Object({ reason }, { additionalProperties: false });
const Import = Type.Object(
  {
    addresses: Type.Array(oneLine({ minLength: 1, maxLength: 1000 }), { minItems: 1, maxItems: ADDRESSES_MAX }),
    reason,
  },
  { additionalProperties: false },
);
const Imported = Type.Object(
  {
    added: Type.Integer({
      description: 'Addresses that were not suppressed before; one that is given twice counts once.',
    }),
    already_suppressed: Type.Integer({ description: 'The other addresses.' }),
  },
  { description: 'All addresses are suppressed.' },
);
const AddressParams = Type.Object({ address: Type.String({ description: 'An email address, percent-encoded.' }) });

const notSuppressed = (address: string): ProblemError =>
  new ProblemError('not_found', `${JSON.stringify(address)} is not on the suppression list of this account.`);

export function suppressionRoutes(app: EmailServiceApp, { store, sealer, now, createOnce }: ServiceParts): void {
  const asked = (request: FastifyRequest & { readonly params: Static<typeof AddressParams> }): AccountAddress => ({
    accountId: accountOf(request),
    address: request.params.address,
    marks: marksOf(sealer, request),
  });
  const byHand = ({ reason: why = BY_API }: Static<typeof Reason>) =>
    ({ cause: 'manual', reason: why, email_id: null, now: now() }) as const;

  app.get(
    '/suppressions/:address',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'getSuppression',
        summary: 'Whether and why an address is suppressed',
        params: AddressParams,
        response: { 200: SuppressionResource, ...problemResponses('withoutBody', 'not_found') },
      },
    },
    async (request) => {
      const { address } = request.params;
      const row = await findSuppression(store, asked(request));
      if (row === undefined) throw notSuppressed(address);
      return suppressionResource(row);
    },
  );

  app.put(
    '/suppressions/:address',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'putSuppression',
        summary: 'Stop sending to an address',
        params: AddressParams,
        body: Reason,
        response: { 200: SuppressionResource, ...problemResponses('withBody') },
      },
    },
    async (request) => {
      const { address } = request.params;
      refuseIfAny(faultAt('/address', mailAddressFault(address)));
      const place = asked(request);
      const row = await inTransaction(store, async (transaction) => {
        await addSuppressions(transaction, place.accountId, [address], byHand(request.body), place.marks);
        return findSuppression(transaction, place);
      });
      // Deleted at this moment by another request, which came after this one.
      if (row === undefined) throw notSuppressed(address);
      return suppressionResource(row);
    },
  );

  app.post(
    '/suppressions',
    {
      bodyLimit: IMPORT_BYTES_MAX,
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'importSuppressions',
        summary: `Stop sending to up to ${ADDRESSES_MAX} addresses; all or none`,
        body: Import,
        response: { 201: Imported, ...problemResponses('withBody') },
      },
    },
    (request, reply) =>
      createOnce(request, reply, () => {
        const { addresses } = request.body;
        refuseIfAny(
          addresses.flatMap((address, index) => faultAt(`/addresses/${String(index)}`, mailAddressFault(address))),
        );
        return {
          async create(transaction) {
            const marks = marksOf(sealer, request);
            const why = byHand(request.body);
            const { length: added } = await addSuppressions(transaction, accountOf(request), addresses, why, marks);
            const { size } = new Set(addresses.map(suppressedForm));
            return { status: 201, body: { added, already_suppressed: size - added } };
          },
        };
      }),
  );

  app.delete(
    '/suppressions/:address',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'deleteSuppression',
        summary: 'Send to an address again',
        params: AddressParams,
        response: { 204: Type.Null({ description: 'Deleted.' }), ...problemResponses('withoutBody', 'not_found') },
      },
    },
    async (request, reply) => {
      const { address } = request.params;
      if (!(await removeSuppression(store, asked(request)))) throw notSuppressed(address);
      reply.code(204);
      return null;
    },
  );
}
