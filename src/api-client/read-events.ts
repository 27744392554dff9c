import { EventSourceParserStream } from 'eventsource-parser/stream';
import { followAbort } from '../lib/timing/follow-abort.ts';
import { parseJson } from '../lib/parse-json.ts';
import { connectionError, type Fetch } from './bounded-fetch.ts';
import type { SendoffEvent } from './events.ts';
import { pause } from './pause.ts';
import { errorOf, SendoffError } from './sendoff-error.ts';

export interface EventsOptions {
  /** Only those of this tenant. */
  readonly tenantId?: string;
  /** The events after this one. @default those that happen from now on */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** Called before each attempt to connect again. */
  readonly onDisconnect?: (reason: Error) => void;
}

export interface EventsSource {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** Until the response begins. */
  readonly timeoutMs: number;
}

/** Unless the server sends another one as `retry`. */
const RECONNECT_MS = 2_000;
/** Has the ID after which the next event comes; the first one follows at once, so that no event is lost between connections. */
const HEARTBEAT = 'heartbeat';
/** The server sends a heartbeat every 15 seconds. */
const SILENCE_MS_MAX = 60_000;
/** An event is one view of an onboarding, with its records. */
const EVENT_CHARACTERS_MAX = 4_000_000;

/** Reads Server-Sent Events, and reconnects with Last-Event-ID as their specification says (HTML, section 9.2). */
export async function* readEvents(
  source: EventsSource,
  options: EventsOptions = {},
): AsyncGenerator<SendoffEvent, never> {
  const { tenantId, onDisconnect, signal = new AbortController().signal } = options;
  let { lastEventId } = options;
  let reconnectMs = RECONNECT_MS;
  const path = tenantId === undefined ? '/events' : `/onboardings/${encodeURIComponent(tenantId)}/events`;
  for (;;) {
    const connection = followAbort(signal);
    const silence = setTimeout(() => {
      connection.abort(new Error(`no heartbeat within ${SILENCE_MS_MAX} ms`));
    }, SILENCE_MS_MAX);
    try {
      const body = await connect(source, path, lastEventId, connection);
      silence.refresh();
      // Typed with Node's types, in which a chunk is any bytes, or with those of a browser.
      const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
      const messages = body.pipeThrough(decoder).pipeThrough(
        new EventSourceParserStream({
          maxBufferSize: EVENT_CHARACTERS_MAX,
          onError: 'terminate',
          onRetry: (ms) => (reconnectMs = ms),
          onComment: () => silence.refresh(),
        }),
      );
      for await (const { id = lastEventId, event = 'message', data } of messages) {
        silence.refresh();
        lastEventId = id;
        if (event === HEARTBEAT) continue;
        yield { id: id ?? '', type: event, data: parseJson(data) } as SendoffEvent;
      }
      onDisconnect?.(new Error('the server closed the connection'));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof SendoffError && !isPassing(error)) throw error;
      onDisconnect?.(error instanceof Error ? error : new Error('the connection was lost', { cause: error }));
    } finally {
      clearTimeout(silence);
      connection.abort();
    }
    await pause(reconnectMs, signal);
  }
}

async function connect(
  { baseUrl, headers, fetch, timeoutMs }: EventsSource,
  path: string,
  lastEventId: string | undefined,
  connection: AbortController,
): Promise<ReadableStream<Uint8Array>> {
  const url = `${baseUrl.replace(/\/$/, '')}${path}`;
  const request = new Request(url, {
    headers: {
      ...headers,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: connection.signal,
  });
  // Only until the response begins: the events have no deadline.
  const timer = setTimeout(() => {
    connection.abort(new DOMException(`did not answer within ${timeoutMs} ms`, 'TimeoutError'));
  }, timeoutMs);
  try {
    const response = await fetch(request).catch((cause: unknown) => {
      throw connectionError(url, cause);
    });
    if (!response.ok) throw errorOf(response.status, parseJson(await response.text()));
    if (response.body === null) throw errorOf(response.status, undefined);
    return response.body;
  } finally {
    clearTimeout(timer);
  }
}

/** Whether connecting again may succeed. */
const isPassing = ({ status }: SendoffError): boolean => status === null || status === 429 || status >= 500;
