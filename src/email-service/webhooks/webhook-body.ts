/** What Standard Webhooks advises as a limit: receivers read and store the whole body before they answer. */
export const WEBHOOK_BODY_BYTES_MAX = 20_000;

/** Longest first: what a receiver misses least, because GET of the resource still has it. */
const FIELDS_TO_LEAVE_OUT = ['attempts', 'records', 'metadata', 'subject'];

export interface EventToPost {
  readonly type: string;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  /** The resource as the API showed it when the event happened. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * `{ type, timestamp, data }`, the same bytes on every attempt. Of a resource that is too large, fields are left out
 * one by one and named in `data.left_out`; what is told last of all is its id and status.
 */
export function webhookBody(event: EventToPost): string {
  const { type, timestamp } = event;
  const data: Record<string, unknown> = { ...event.data };
  let body = JSON.stringify({ type, timestamp, data });
  const leftOut: string[] = [];
  for (const field of FIELDS_TO_LEAVE_OUT) {
    if (Buffer.byteLength(body) < WEBHOOK_BODY_BYTES_MAX) return body;
    if (!(field in data)) continue;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a copy of our own, over a list of our own
    delete data[field];
    leftOut.push(field);
    body = JSON.stringify({ type, timestamp, data: { ...data, left_out: leftOut } });
  }
  if (Buffer.byteLength(body) < WEBHOOK_BODY_BYTES_MAX) return body;
  const rest = { id: data['id'], status: data['status'], left_out: ['*'] };
  return JSON.stringify({ type, timestamp, data: rest });
}
