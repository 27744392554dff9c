import type { RoutesDescription } from '../lib/http/describe-routes.ts';
import { webhooks } from './schemas/events.ts';

export const description: RoutesDescription = {
  program: 'orchestrator',
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'sendoff',
      version: '1',
      description:
        'Onboards tenants, from an API key to a delivered first email, and checks AGENTS.md files. Version 1 only grows: see docs/http-api.md.',
    },
    security: [{ apiToken: [] }],
    webhooks,
    components: {
      securitySchemes: {
        apiToken: { type: 'http', scheme: 'bearer', description: 'A token of SENDOFF_API_TOKEN.' },
      },
    },
  },
};
