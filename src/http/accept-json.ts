import { errorCodes, type FastifyInstance } from 'fastify';

/** Accepts JSON bodies, and empty bodies of any Content-Type: many clients send the header without a body. */
export function acceptJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined);
    else void parse(request, text, done);
  });
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}
