import { errorCodes } from 'fastify';
import type { HttpApp } from '../../lib/http/create-http-app.ts';
import { holdContents } from './held-contents.ts';
import { createJsonBodyParser } from '../../lib/http/parse-json-body.ts';

/** Accepts JSON bodies, and an empty body where the schema has one. */
export function acceptJsonOnly(app: HttpApp): void {
  app.decorateRequest('heldContents', null);
  const parse = createJsonBodyParser(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // Many clients send the header without a body.
    if (bytes.length === 0 && acceptsNoBody(request.routeOptions.schema?.body)) done(null, undefined);
    else if (request.routeOptions.config.attachments !== true) parse(request, bytes, done);
    else {
      const { json, held } = holdContents(bytes);
      request.heldContents = held;
      parse(request, json, done);
    }
  });
  // `curl -d ''` declares a form.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(request.headers['content-type'] ?? ''));
  });
}

/** Null in a schema stands for an empty body. */
function acceptsNoBody(schema: unknown): boolean {
  const { type } = (schema ?? { type: ['null'] }) as { readonly type?: unknown };
  return Array.isArray(type) && type.includes('null');
}
