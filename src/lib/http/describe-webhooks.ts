import type { TSchema } from 'typebox';
import type { RoutesDescription } from './describe-routes.ts';

type Described = Extract<RoutesDescription['openapi'], { webhooks?: unknown }>['webhooks'];

interface DescribedWebhook {
  readonly summary: string;
  /** Schema of the `data` of its body. */
  readonly data: TSchema;
}

/** The `webhooks` of an OpenAPI 3.1 document: each a signed POST of `{type, timestamp, data}` to a receiver. */
export const describeWebhooks = (webhooks: Readonly<Record<string, DescribedWebhook>>): NonNullable<Described> =>
  Object.fromEntries(Object.entries(webhooks).map(([type, webhook]) => [type, { post: operation(type, webhook) }]));

const operation = (type: string, { summary, data }: DescribedWebhook) => ({
  operationId: type,
  summary,
  // The signature is the credential.
  security: [],
  parameters: [
    header('webhook-id', 'The same in every delivery of the event.'),
    header('webhook-timestamp', 'When this delivery was sent, in seconds since 1970.'),
    header('webhook-signature', 'HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com'),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object' as const,
          required: ['type', 'timestamp', 'data'],
          properties: {
            type: { type: 'string' as const, const: type },
            timestamp: { type: 'string' as const, format: 'date-time', description: 'When it happened.' },
            data,
          },
        },
      },
    },
  },
  responses: {
    '2XX': { description: 'Received.' },
    '410': { description: 'Given up. Any other answer, or none, is followed by another attempt.' },
  },
});

const header = (name: string, description: string) => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' as const },
});
