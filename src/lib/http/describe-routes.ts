import fastifySwagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import type { HttpApp } from './create-http-app.ts';
import { problemSchema } from './problem.ts';

export interface RoutesDescription {
  readonly program: Parameters<typeof problemSchema>[0];
  readonly openapi: NonNullable<FastifyDynamicSwaggerOptions['openapi']>;
  readonly transform?: FastifyDynamicSwaggerOptions['transform'];
}

/**
 * Serves the OpenAPI 3.1 description of every route that is registered afterwards as /openapi.json, and as pages under /docs,
 * whose scripts and styles this program serves itself.
 */
export function describeRoutes(app: HttpApp, { program, openapi, transform }: RoutesDescription): void {
  app.addSchema(problemSchema(program));
  app.register(fastifySwagger, {
    openapi,
    // Schemas that several routes share keep their name.
    refResolver: {
      buildLocalReference: ({ $id }, _baseUri, _fragment, i) => (typeof $id === 'string' ? $id : `schema${i}`),
    },
    ...(transform === undefined ? {} : { transform }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      markOptionalBodies(document.openapiObject);
      return document.openapiObject;
    },
  });
  app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // This program speaks HTTP; a proxy in front of it speaks HTTPS.
    transformStaticCSP: (policy) => policy.replace('upgrade-insecure-requests;', '').trim(),
  });
  app.register(async (anyone: HttpApp) => {
    anyone.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  });
}

interface DescribedBody {
  required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema?: { readonly type?: unknown } }>>;
}

/** A body may be left out if its schema accepts null, which stands for an empty one. */
function markOptionalBodies({ paths = {} }: { readonly paths?: object }): void {
  for (const operations of Object.values(paths) as Record<string, { readonly requestBody?: DescribedBody }>[]) {
    for (const { requestBody } of Object.values(operations)) {
      const types = requestBody?.content['application/json']?.schema?.type;
      if (requestBody !== undefined && Array.isArray(types) && types.includes('null')) requestBody.required = false;
    }
  }
}
