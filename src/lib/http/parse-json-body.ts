import type { FastifyRequest } from 'fastify';
import { jsonFault } from '../json-fault.ts';
import type { HttpApp } from './create-http-app.ts';
import { ProblemError } from './problem.ts';

type Done = (error: Error | null, body?: unknown) => void;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON in UTF-8 (RFC 8259 section 8.1) without keys that would change an object's prototype. */
export function createJsonBodyParser(app: HttpApp): (request: FastifyRequest, bytes: Buffer, done: Done) => void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const inTurn = createTurnstile();
  return (request, bytes, done) => {
    if (!isIdentity(request.headers['content-encoding'])) {
      done(new ProblemError('unsupported_media_type', 'Send the body without Content-Encoding.'));
      return;
    }
    const read = (): void => {
      let text: string;
      try {
        text = utf8.decode(bytes);
      } catch {
        done(new ProblemError('malformed_json', 'The body is not UTF-8.'));
        return;
      }
      const fault = jsonFault(text);
      if (fault !== undefined) done(new ProblemError('malformed_json', `The body ${fault}.`));
      else void parse(request, text, done);
    };
    if (bytes.length <= SMALL_BYTES_MAX) read();
    else inTurn(read);
  };
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
