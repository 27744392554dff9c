import { Webhook } from 'standardwebhooks';

export interface SignedWebhook {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The signature covers these bytes. */
  readonly body: Buffer;
}

/**
 * Reads a webhook signed according to Standard Webhooks; undefined unless the signature matches and its time is within five minutes.
 *
 * @param secrets each `whsec_` and base64; any may have signed, so that they can be rotated
 * @param prefix of the three headers: `svix` is the name from before the standard
 */
export function readSignedWebhook(
  { headers, body }: SignedWebhook,
  secrets: readonly string[],
  prefix: 'webhook' | 'svix' = 'webhook',
): { id: string; content: object } | undefined {
  const header = (name: string): string => {
    const value = headers[`${prefix}-${name}`];
    return typeof value === 'string' ? value : '';
  };
  const id = header('id');
  for (const secret of secrets) {
    try {
      const content = new Webhook(secret).verify(body, {
        'webhook-id': id,
        'webhook-timestamp': header('timestamp'),
        'webhook-signature': header('signature'),
      });
      return typeof content === 'object' && content !== null ? { id, content } : undefined;
    } catch {
      // The sender does not learn whether headers, timestamp, secret or bytes are wrong.
    }
  }
  return undefined;
}
