/** The limit that Standard Webhooks recommends, because receivers store the whole body before they answer. */
export const WEBHOOK_BODY_BYTES_MAX = 20_000;

/** Longest first. GET of the resource still returns them. */
const FIELDS_TO_LEAVE_OUT = ['attempts', 'records', 'metadata', 'tags', 'subject'];

export interface EventToPost {
  readonly type: string;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  /** The resource as the API showed it when the event happened. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * `{ type, timestamp, data }`, the same bytes on every attempt. If the resource is too large, fields are omitted one by one
 * and named in `data.left_out`, until only the id and status remain.
 */
export function webhookBody(event: EventToPost): string {
  const { type, timestamp } = event;
  const data: Record<string, unknown> = { ...event.data };
  let body = JSON.stringify({ type, timestamp, data });
  const leftOut: string[] = [];
  for (const field of FIELDS_TO_LEAVE_OUT) {
    if (Buffer.byteLength(body) < WEBHOOK_BODY_BYTES_MAX) return body;
    if (!(field in data)) continue;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- `data` is a local copy, the fields are constants
    delete data[field];
    leftOut.push(field);
    body = JSON.stringify({ type, timestamp, data: { ...data, left_out: leftOut } });
  }
  if (Buffer.byteLength(body) < WEBHOOK_BODY_BYTES_MAX) return body;
  const rest = { id: data['id'], status: data['status'], left_out: ['*'] };
  return JSON.stringify({ type, timestamp, data: rest });
}
