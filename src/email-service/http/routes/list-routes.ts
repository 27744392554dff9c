import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { accountToList, domainOf } from '../../auth/authentication.ts';
import { sendingDomainName } from '../../../lib/mail-rules/sending-domain-fault.ts';
import { ApiKeyResource, apiKeyResource } from '../../resources/api-key.ts';
import { DomainResource, domainResource } from '../../resources/domain.ts';
import { EmailResource, emailResource, EmailStatus } from '../../resources/email.ts';
import { ErasureResource, erasureResource } from '../../resources/erasure.ts';
import type { IdPrefix } from '../../resources/resource-ids.ts';
import type { Scope } from '../../resources/scopes.ts';
import { SenderResource, senderResource } from '../../resources/sender.ts';
import { SuppressionResource, suppressionResource } from '../../resources/suppression.ts';
import { WebhookResource, webhookResource } from '../../resources/webhook.ts';
import { readAccount } from '../../store/api-keys.ts';
import { erasureMarks } from '../../store/erasure-marks.ts';
import {
  readApiKeys,
  readDomains,
  readEmails,
  readErasures,
  readSenders,
  readSuppressions,
  readWebhooks,
  type PageRequest,
} from '../../store/lists.ts';
import type { Store } from '../../store/open-store.ts';
import { suppressedForm } from '../../store/suppressions.ts';
import { LIMIT, pageOf, pageQuery, toPage } from '../schemas/page.ts';
import { queryTime } from '../../../lib/http/query-time.ts';
import { queryBoolean, queryNumber } from '../../../lib/http/query-values.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine, tag } from '../schemas/request-fields.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';

export function listRoutes(app: EmailServiceApp, { store, sealer }: ServiceParts): void {
  listRoute(app, store, {
    path: '/api-keys',
    operationId: 'listApiKeys',
    summary: 'List API keys without their tokens, oldest first',
    prefix: 'key',
    resource: ApiKeyResource,
    filters: {
      include_revoked: Type.Optional(
        Type.Boolean({ description: 'Whether to list revoked keys too; false by default.' }),
      ),
    },
    read: (page, { include_revoked: all = false }) => readApiKeys(store, page, all),
    toResource: apiKeyResource,
  });
  listRoute(app, store, {
    path: '/domains',
    operationId: 'listDomains',
    summary: 'List domains, oldest first',
    prefix: 'dom',
    resource: DomainResource,
    filters: {
      name: Type.Optional(
        oneLine({ minLength: 1, maxLength: 1000, description: 'Return only the domain with this name.' }),
      ),
    },
    read: (page, { name }) => readDomains(store, page, name === undefined ? undefined : sendingDomainName(name)),
    toResource: domainResource,
  });
  listRoute(app, store, {
    path: '/senders',
    operationId: 'listSenders',
    summary: 'List senders, oldest first',
    prefix: 'snd',
    resource: SenderResource,
    filters: {},
    read: (page) => readSenders(store, page),
    toResource: senderResource,
  });
  listRoute(app, store, {
    path: '/emails',
    operationId: 'listEmails',
    summary: 'List emails with their delivery attempts, oldest first',
    prefix: 'eml',
    scope: 'read',
    resource: EmailResource,
    filters: {
      status: Type.Optional(EmailStatus),
      recipient: Type.Optional(
        oneLine({ ...addressLength, description: 'The address of the recipient, in any case.' }),
      ),
      domain: Type.Optional(oneLine({ ...addressLength, description: 'The domain of the recipient, in any case.' })),
      tag: Type.Optional(tag('One of the tags of the email.')),
      from: Type.Optional(Type.String({ format: 'date-time', description: 'Created at this time or later.' })),
      to: Type.Optional(Type.String({ format: 'date-time', description: 'Created before this time.' })),
    },
    read: (page, { from, to, ...filters }, domainId) =>
      readEmails(store, page, { ...filters, domainId, from: queryTime('from', from), to: queryTime('to', to) }),
    toResource: ({ email, attempts }) => emailResource(email, attempts),
  });
  listRoute(app, store, {
    path: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks without their signing secrets, oldest first',
    prefix: 'whk',
    resource: WebhookResource,
    filters: {},
    read: (page) => readWebhooks(store, page),
    toResource: webhookResource,
  });
  listRoute(app, store, {
    path: '/suppressions',
    operationId: 'listSuppressions',
    summary: 'List the addresses that the account does not send to, oldest first',
    prefix: 'sup',
    resource: SuppressionResource,
    filters: {},
    read: (page) => readSuppressions(store, page),
    toResource: suppressionResource,
  });
  listRoute(app, store, {
    path: '/erasures',
    operationId: 'listErasures',
    summary: 'List the erasures of recipients, oldest first',
    prefix: 'ers',
    resource: ErasureResource,
    filters: {
      recipient: Type.Optional(oneLine({ ...addressLength, description: 'The address that was erased, in any case.' })),
    },
    read: async (page, { recipient }) => {
      if (recipient === undefined) return readErasures(store, page, undefined);
      const marks = erasureMarks(sealer, await readAccount(store, page.accountId));
      return readErasures(store, page, marks.mark('address', suppressedForm(recipient)));
    },
    toResource: erasureResource,
  });
}

const addressLength = { minLength: 1, maxLength: 1000 };

interface List<Row extends { readonly id: string }, Resource extends TSchema, Filters extends TProperties> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly prefix: IdPrefix;
  /** @default manage */
  readonly scope?: Scope;
  readonly resource: Resource;
  readonly filters: Filters;
  /** @param domainId the only domain that the caller's key may use; undefined for all of the account */
  readonly read: (
    page: PageRequest,
    filters: Static<TObject<Filters>>,
    domainId: string | undefined,
  ) => Promise<readonly Row[]>;
  readonly toResource: (row: Row) => Static<Resource>;
}

/** Also for the operator: after an account's last key is revoked, no other credential can list it. */
function listRoute<Row extends { readonly id: string }, Resource extends TSchema, Filters extends TProperties>(
  app: EmailServiceApp,
  store: Store,
  { path, operationId, summary, scope = 'manage', ...list }: List<Row, Resource, Filters>,
): void {
  const query = pageQuery(list.prefix);
  // Fastify cannot infer types from schemas that are type parameters.
  const querystring: TSchema = Type.Object({ ...query, ...list.filters }, { additionalProperties: false });
  const page: TSchema = pageOf(list.resource, 'One page of the list.');
  app.get(
    path,
    {
      config: { access: { scope, operator: true } },
      schema: {
        operationId,
        summary,
        querystring,
        response: { 200: page, ...problemResponses('withoutBody', 'not_found', 'validation_failed') },
      },
      preValidation: [queryNumber('limit'), queryBoolean('include_revoked')],
    },
    async (request) => {
      const sent = request.query as Static<TObject<typeof query>> & Static<TObject<Filters>>;
      const { account, cursor = '', limit = LIMIT.otherwise } = sent;
      const asked = { accountId: await accountToList(store, request, account), afterId: cursor, limit };
      return toPage(await list.read(asked, sent, domainOf(request)), limit, list.toResource);
    },
  );
}
