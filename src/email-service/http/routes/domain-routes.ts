import { Type } from 'typebox';
import { accountOf } from '../../auth/authentication.ts';
import { lockName } from '../../../lib/sql/transactions.ts';
import { sendingDomainFault, sendingDomainName } from '../../../lib/mail-rules/sending-domain-fault.ts';
import { faultAt, ProblemError, refuseIfAny } from '../../../lib/http/problem.ts';
import { notFound } from '../not-found.ts';
import { readIdempotencyKey } from '../../../lib/http/read-idempotency-key.ts';
import { newDkimKey, newDomain } from '../../domains/new-domain.ts';
import { DomainResource, domainResource, DomainTlsWord } from '../../resources/domain.ts';
import { problemResponses } from '../schemas/problem.ts';
import { IdParams, oneLine } from '../schemas/request-fields.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { addNextDkimKey, findDomain, findDomainByName, insertDomain, setDomainTls } from '../../store/domains.ts';
import { addFirstAttempts, firstCheck } from '../../store/outbox.ts';
import type { DomainTable } from '../../store/schema.ts';
import { softDelete } from '../../store/soft-delete.ts';
import { deleteRoute } from './delete-route.ts';

/** Temporal usually recovers within seconds. */
const TEMPORAL_RETRY_SECONDS = 10;

const DomainRequest = Type.Object(
  {
    name: oneLine({
      minLength: 1,
      maxLength: 1000,
      description: 'The sending domain in ASCII; stored in lower case.',
    }),
  },
  { additionalProperties: false },
);

const DomainChange = Type.Object({ tls: DomainTlsWord }, { additionalProperties: false });

export function domainRoutes(app: EmailServiceApp, parts: ServiceParts): void {
  postDomain(app, parts);
  postVerify(app, parts);
  postRotateDkim(app, parts);
  const { store, now } = parts;

  app.get(
    '/domains/:id',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'getDomain',
        summary: 'Get a domain with its records and the findings of the last check',
        params: IdParams,
        response: { 200: DomainResource, ...problemResponses('withoutBody', 'not_found') },
      },
    },
    async (request) => domainResource(await ownDomain(parts, accountOf(request), request.params.id)),
  );

  app.patch(
    '/domains/:id',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'changeDomain',
        summary: 'Change which protection the emails of a domain need; holds from their next attempt on',
        params: IdParams,
        body: DomainChange,
        response: { 200: DomainResource, ...problemResponses('withBody', 'not_found') },
      },
    },
    async (request) => {
      const { id } = request.params;
      const row = await setDomainTls(store, { accountId: accountOf(request), id, tls: request.body.tls });
      if (row === undefined) throw notFound('domain', id);
      return domainResource(row);
    },
  );

  deleteRoute(app, {
    path: '/domains/:id',
    schema: { operationId: 'deleteDomain', summary: 'Delete a domain; emails already accepted are still sent' },
    what: 'domain',
    remove: (request, id) => softDelete(store, 'domains', { accountId: accountOf(request), id, now: now() }),
  });
}

function postDomain(app: EmailServiceApp, parts: ServiceParts): void {
  const { store, settings, background, now, createOnce } = parts;
  app.post(
    '/domains',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'createDomain',
        summary: 'Register a sending domain',
        body: DomainRequest,
        response: { 201: DomainResource, ...problemResponses('withBody', 'already_exists') },
      },
    },
    (request, reply) =>
      createOnce(request, reply, async () => {
        const accountId = accountOf(request);
        const name = sendingDomainName(request.body.name);
        refuseIfAny(faultAt('/name', sendingDomainFault(name, settings)));
        // Also checked in the transaction; here it saves the cost of a DKIM key.
        refuseDuplicate(name, await findDomainByName(store, accountId, name));
        const row = await newDomain(parts, accountId, name);
        return {
          async create(transaction) {
            await lockName(transaction, `domain/${accountId}/${name}`);
            refuseDuplicate(name, await findDomainByName(transaction, accountId, name));
            await insertDomain(transaction, row);
            const claimed = background.makesFirstAttempts;
            await addFirstAttempts(transaction, [firstCheck(row)], { now: now(), claimed });
            return { status: 201, body: domainResource(row) };
          },
          afterCommit: () => {
            background.begin(firstCheck(row));
          },
        };
      }),
  );
}

function postVerify(app: EmailServiceApp, parts: ServiceParts): void {
  app.post(
    '/domains/:id/verify',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'verifyDomain',
        summary: "Check the domain's records now; the response shows the previous check",
        params: IdParams,
        response: { 202: DomainResource, ...problemResponses('withoutBody', 'not_found', 'idempotency_key_malformed') },
      },
    },
    async (request, reply) => {
      // Only validated: a repeat is just another check, so there is no response to store under the key.
      readIdempotencyKey(request.headers['idempotency-key']);
      const domain = await ownDomain(parts, accountOf(request), request.params.id);
      try {
        await parts.background.requestDomainCheck(domain.id);
      } catch (error) {
        request.log.warn({ err: error, domainId: domain.id }, 'cannot request a domain check from Temporal');
        throw new ProblemError(
          'unavailable',
          'Cannot start the check because Temporal is unreachable; scheduled checks continue. Try again later.',
          {
            retryAfterSeconds: TEMPORAL_RETRY_SECONDS,
          },
        );
      }
      reply.code(202);
      return domainResource(domain);
    },
  );
}

function postRotateDkim(app: EmailServiceApp, parts: ServiceParts): void {
  const { background, now, createOnce } = parts;
  app.post(
    '/domains/:id/rotate-dkim',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'rotateDkim',
        summary: 'Replace the DKIM key of a domain',
        description:
          'Adds the record of a new key to the domain. Once a check finds it, the new key signs (`domain.dkim_rotated`), and the record of the old one must stay published until its `remove_after`. While a rotation is under way, a request begins no other one.',
        params: IdParams,
        response: {
          202: DomainResource,
          ...problemResponses('withBody', 'not_found', 'domain_not_verified'),
        },
      },
    },
    (request, reply) =>
      createOnce(request, reply, async () => {
        const own = await ownDomain(parts, accountOf(request), request.params.id);
        const { id, name } = own;
        const key = await newDkimKey(parts, { id, name });
        let isBegun = false;
        return {
          async create(transaction) {
            const claimed = background.makesFirstAttempts;
            const rotated = await addNextDkimKey(transaction, { domainId: id, key, now: now(), claimed });
            if (rotated === undefined) throw notFound('domain', id);
            const { domain, isNew } = rotated;
            if (domain.status === 'pending') {
              const detail = `The domain ${name} was never verified, so its key signs nothing yet. To get another key, delete the domain and register it again.`;
              throw new ProblemError('domain_not_verified', detail);
            }
            isBegun = isNew;
            return { status: 202, body: domainResource(domain) };
          },
          afterCommit: () => {
            if (isBegun) background.begin(firstCheck(own));
          },
        };
      }),
  );
}

async function ownDomain({ store }: ServiceParts, accountId: string, id: string): Promise<DomainTable> {
  const domain = await findDomain(store, accountId, id);
  if (domain === undefined) throw notFound('domain', id);
  return domain;
}

function refuseDuplicate(name: string, existing: Pick<DomainTable, 'id'> | undefined): void {
  if (existing === undefined) return;
  throw new ProblemError('already_exists', `This account already has the domain ${name}: ${existing.id}.`, {
    existingId: existing.id,
  });
}
