import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { CallOutcome } from './call-effect.ts';
import { type Call, NoAnswer } from './exchange.ts';

/**
 * Reads a request whole and lets its caller see the outcome. Without an answer from the other side the connection is
 * reset, as if nothing stood between. Throws what else `take` throws.
 */
export async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  take: (call: Call) => Promise<CallOutcome>,
): Promise<void> {
  const { method = 'GET', url = '/', rawHeaders } = request;
  // A caller that breaks off in the middle of its request is its own affair.
  const body = await buffer(request).catch(() => undefined);
  if (body === undefined) return;
  let outcome: CallOutcome = 'reset';
  try {
    outcome = await take({ method, url, rawHeaders, body });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  } finally {
    show(outcome, request, response);
  }
}

function show(outcome: CallOutcome, request: IncomingMessage, response: ServerResponse): void {
  if (outcome === 'silence') return;
  if (outcome === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  const { status, headers, body } = outcome;
  // RFC 9110 section 8.6: a response that cannot have a body has no Content-Length.
  const hasBody = request.method !== 'HEAD' && status !== 204 && status !== 304;
  response.writeHead(status, { ...headers, ...(hasBody ? { 'content-length': body.length } : {}) }).end(body);
}
