import type { FastifyContextConfig, FastifySchema } from 'fastify';
import type { RoutesDescription } from '../../lib/http/describe-routes.ts';
import { webhooks } from './schemas/webhooks.ts';

const IDEMPOTENCY_KEY = {
  type: 'string',
  description:
    'A repeat with the same key and body gets the first answer again, with the header Idempotent-Replayed: true. 1 to 255 visible ASCII characters, bare or in double quotes.',
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The state that `Prefer: wait=N` waits for, where it is honoured. */
    waits?: string;
  }
}

export const description: RoutesDescription = {
  program: 'email service',
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Email service',
      version: '1',
      description:
        'Transactional email from a verified domain: create an API key, register a domain, create a sender, send, confirm delivery. Version 1 only grows: docs/http-api.md, Versions.',
    },
    security: [{ apiKey: [] }],
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The token of an API key, from POST /api-keys. Each call names the scope that the key needs: send, read or manage.',
        },
        operator: {
          type: 'http',
          scheme: 'bearer',
          description: 'The operator token; for API keys, accounts, erasures and lists only.',
        },
      },
    },
  },
  transform: ({ schema, url, route }) => {
    const described = withAccess(schema, route.config);
    return { url, schema: route.method === 'POST' ? withHeaders(described, route.config) : described };
  },
};

/** OpenAPI 3.1 lets the requirement of a bearer token list the roles that it needs. */
const withAccess = (schema: FastifySchema, { access }: FastifyContextConfig = {}): FastifySchema =>
  access === undefined
    ? schema
    : {
        ...schema,
        security: [
          ...(access.operator === true ? [{ operator: [] }] : []),
          ...(access.scope === null ? [] : [{ apiKey: [access.scope] }]),
        ],
      };

/** Described here and not in the route's schema: violations of one have error codes of their own, and of the other are ignored. */
const withHeaders = (schema: FastifySchema, { idempotencyKey, waits }: FastifyContextConfig = {}): FastifySchema => ({
  ...schema,
  headers: {
    type: 'object',
    properties: {
      'Idempotency-Key': IDEMPOTENCY_KEY,
      ...(waits === undefined ? {} : { Prefer: { type: 'string', description: waits } }),
    },
    required: idempotencyKey === 'required' ? ['Idempotency-Key'] : [],
  },
});
