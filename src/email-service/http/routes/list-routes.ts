import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { accountToList } from '../../auth/authentication.ts';
import { asciiLowerCase } from '../../../lib/mail-rules/ascii-lower-case.ts';
import { ApiKeyResource, apiKeyResource } from '../../resources/api-key.ts';
import { DomainResource, domainResource } from '../../resources/domain.ts';
import { EmailResource, emailResource } from '../../resources/email.ts';
import { LIMIT, limitAsNumber, pageOf, pageQuery, toPage } from '../schemas/page.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import { SenderResource, senderResource } from '../../resources/sender.ts';
import { WebhookResource, webhookResource } from '../../resources/webhook.ts';
import { Word } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import {
  readApiKeys,
  readDomains,
  readEmails,
  readSenders,
  readWebhooks,
  type PageRequest,
} from '../../store/lists.ts';
import type { Store } from '../../store/open-store.ts';

/** What an account has at the moment. The operator may look too: after a key is revoked, nobody else can. */
const security = [{ operator: [] }, { apiKey: [] }];
const refusals = problemResponses('withoutBody', 'not_found', 'validation_failed');
const strict = { additionalProperties: false };

export function listRoutes(app: EmailServiceApp, { store }: ServiceParts): void {
  app.get(
    '/api-keys',
    {
      schema: {
        operationId: 'listApiKeys',
        summary: 'The API keys that are not revoked, oldest first, without their tokens',
        security,
        querystring: Type.Object(pageQuery('key'), strict),
        response: { 200: pageOf(ApiKeyResource, 'API keys, oldest first.'), ...refusals },
      },
      preValidation: limitAsNumber,
    },
    async (request) => {
      const asked = await pageAsked(store, request, request.query);
      return toPage(await readApiKeys(store, asked), asked.limit, apiKeyResource);
    },
  );

  app.get(
    '/domains',
    {
      schema: {
        operationId: 'listDomains',
        summary: 'The domains, oldest first',
        security,
        querystring: Type.Object(
          {
            ...pageQuery('dom'),
            name: Type.Optional(
              oneLine({ minLength: 1, maxLength: 1000, description: 'Only the domain of this name.' }),
            ),
          },
          strict,
        ),
        response: { 200: pageOf(DomainResource, 'Domains, oldest first.'), ...refusals },
      },
      preValidation: limitAsNumber,
    },
    async (request) => {
      const { name } = request.query;
      const asked = await pageAsked(store, request, request.query);
      const rows = await readDomains(store, asked, name === undefined ? undefined : asciiLowerCase(name));
      return toPage(rows, asked.limit, domainResource);
    },
  );

  app.get(
    '/senders',
    {
      schema: {
        operationId: 'listSenders',
        summary: 'The senders, oldest first',
        security,
        querystring: Type.Object(pageQuery('snd'), strict),
        response: { 200: pageOf(SenderResource, 'Senders, oldest first.'), ...refusals },
      },
      preValidation: limitAsNumber,
    },
    async (request) => {
      const asked = await pageAsked(store, request, request.query);
      return toPage(await readSenders(store, asked), asked.limit, senderResource);
    },
  );

  app.get(
    '/emails',
    {
      schema: {
        operationId: 'listEmails',
        summary: 'The emails with their attempts, oldest first',
        security,
        querystring: Type.Object(
          { ...pageQuery('eml'), status: Type.Optional(Word(['queued', 'delivered', 'bounced'])) },
          strict,
        ),
        response: { 200: pageOf(EmailResource, 'Emails, oldest first.'), ...refusals },
      },
      preValidation: limitAsNumber,
    },
    async (request) => {
      const asked = await pageAsked(store, request, request.query);
      const rows = await readEmails(store, asked, request.query.status);
      return toPage(rows, asked.limit, ({ email, attempts }) => emailResource(email, attempts));
    },
  );

  app.get(
    '/webhooks',
    {
      schema: {
        operationId: 'listWebhooks',
        summary: 'The webhooks, oldest first, without their secrets',
        security,
        querystring: Type.Object(pageQuery('whk'), strict),
        response: { 200: pageOf(WebhookResource, 'Webhooks, oldest first.'), ...refusals },
      },
      preValidation: limitAsNumber,
    },
    async (request) => {
      const asked = await pageAsked(store, request, request.query);
      return toPage(await readWebhooks(store, asked), asked.limit, webhookResource);
    },
  );
}

async function pageAsked(
  store: Store,
  request: FastifyRequest,
  { account, cursor = '', limit = LIMIT.otherwise }: { account?: string; cursor?: string; limit?: number },
): Promise<PageRequest> {
  return { accountId: await accountToList(store, request, account), afterId: cursor, limit };
}
