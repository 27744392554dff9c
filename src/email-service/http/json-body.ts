import { errorCodes } from 'fastify';
import type { HttpApp } from '../../lib/http/create-http-app.ts';
import { ProblemError } from '../../lib/http/problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Accepts JSON in UTF-8 (RFC 8259 section 8.1) without keys that would change an object's prototype. */
export function acceptJsonOnly(app: HttpApp): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const inTurn = createTurnstile();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // Many clients send the header without a body.
    if (bytes.length === 0 && acceptsNoBody(request.routeOptions.schema?.body)) {
      done(null, undefined);
      return;
    }
    if (!isIdentity(request.headers['content-encoding'])) {
      done(new ProblemError('unsupported_media_type', 'Send the body without Content-Encoding.'));
      return;
    }
    const read = (): void => {
      try {
        void parse(request, utf8.decode(bytes), done);
      } catch {
        done(new ProblemError('malformed_json', 'The body is not UTF-8.'));
      }
    };
    if (bytes.length <= SMALL_BYTES_MAX) read();
    else inTurn(read);
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

/** Parsing and storing a body of megabytes blocks other requests for tens of milliseconds. */
const SMALL_BYTES_MAX = 64 * 1024;

/** Runs one function per turn of the event loop, so that small requests are answered between large bodies. */
function createTurnstile(): (run: () => void) => void {
  const waiting: (() => void)[] = [];
  const runNext = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(runNext);
  };
  return (run) => {
    waiting.push(run);
    if (waiting.length === 1) setImmediate(runNext);
  };
}

/** RFC 9110 section 8.4. */
const isIdentity = (contentEncoding: string | undefined): boolean =>
  ['', 'identity'].includes((contentEncoding ?? '').trim().toLowerCase());
