import { errorCodes } from 'fastify';
import type { HttpApp } from '../lib/http/create-http-app.ts';
import { createJsonBodyParser } from '../lib/http/parse-json-body.ts';

/** Accepts JSON bodies, and empty bodies of any Content-Type: many clients send the header without a body. */
export function acceptJson(app: HttpApp): void {
  const parse = createJsonBodyParser(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) done(null, undefined);
    else parse(request, bytes, done);
  });
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}
