import type { FastifyRequest, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { Access } from '../../auth/authentication.ts';
import { notFound } from '../not-found.ts';
import { problemResponses } from '../schemas/problem.ts';
import { IdParams } from '../schemas/request-fields.ts';
import type { EmailServiceApp } from '../service-parts.ts';

interface Deletion {
  readonly path: `/${string}/:id`;
  readonly schema: FastifySchema & { readonly operationId: string; readonly summary: string };
  /** @default an API key with `manage` */
  readonly access?: Access;
  /** As the 404 names it. */
  readonly what: string;
  /** @default Deleted. */
  readonly done?: string;
  /** False if the account has no such resource. */
  readonly remove: (request: FastifyRequest, id: string) => Promise<boolean>;
}

/** Answers 204 for a resource that the account had, 404 for any other id. */
export function deleteRoute(
  app: EmailServiceApp,
  { path, schema, access = { scope: 'manage' }, what, done = 'Deleted.', remove }: Deletion,
): void {
  app.delete(
    path,
    {
      config: { access },
      schema: {
        ...schema,
        params: IdParams,
        response: { 204: Type.Null({ description: done }), ...problemResponses('withoutBody', 'not_found') },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      if (!(await remove(request, id))) throw notFound(what, id);
      reply.code(204);
      return null;
    },
  );
}
