import { ProblemError } from './errors.ts';
import type { EmailServiceApp } from './service-parts.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Takes bodies that are JSON in UTF-8 (RFC 8259 section 8.1) and refuses keys that would reach an object's prototype. */
export function acceptJsonOnly(app: EmailServiceApp): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // Clients that always send the header send it with an empty body, too, where none is asked for.
    if (bytes.length === 0 && request.routeOptions.schema?.body === undefined) {
      done(null, undefined);
      return;
    }
    if (!isIdentity(request.headers['content-encoding'])) {
      done(new ProblemError('unsupported_media_type', 'Send the body as it is, without Content-Encoding.'));
      return;
    }
    try {
      void parse(request, utf8.decode(bytes), done);
    } catch {
      done(new ProblemError('malformed_json', 'The body is not UTF-8.'));
    }
  });
}

/** Identity is what every body has that says nothing (RFC 9110 section 8.4). */
const isIdentity = (contentEncoding: string | undefined): boolean =>
  ['', 'identity'].includes((contentEncoding ?? '').trim().toLowerCase());
