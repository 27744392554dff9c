// Takes traces as an OpenTelemetry collector does: OTLP over HTTP, as Protobuf (opentelemetry-proto, trace/v1).
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`);
const Request = root.lookupType('Request');

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Received {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly attributes?: readonly Attribute[];
        readonly status?: { readonly code?: number };
      }[];
    }[];
  }[];
}

const ERROR = 2;
const hex = (base64 = ''): string => Buffer.from(base64, 'base64').toString('hex');
const attributesOf = (attributes: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const { url, stop } = await serveOnLoopback((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/x-protobuf') {
        response.writeHead(404).end();
        return;
      }
      bodies.push(body);
      const options = { longs: Number, bytes: String };
      const { resourceSpans } = Request.toObject(Request.decode(body), options) as Received;
      for (const { resource, scopeSpans } of resourceSpans)
        for (const { name, traceId, spanId, parentSpanId, attributes, status } of scopeSpans.flatMap(
          ({ spans: each }) => each,
        ))
          spans.push({
            ...{ service: String(attributesOf(resource.attributes)['service.name']), name, traceId: hex(traceId) },
            ...{ spanId: hex(spanId), parentId: hex(parentSpanId), isError: status?.code === ERROR },
            attributes: attributesOf(attributes),
          });
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  return {
    ...{ url, spans },
    /** What was received, as it came. */
    received: (): string => Buffer.concat(bodies).toString('latin1'),
    close: stop,
  };
}
