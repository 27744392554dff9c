import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';

export interface InstantProvider {
  readonly url: string;
  /** Requests since the start, by method and collection: `GET /domains`. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * An email provider that does nothing and answers at once, from what is in the request: domains are verified and emails
 * delivered. It costs the same whatever calls it.
 *
 * @param options.isVerified whether a domain is, by its name @default always
 * @param options.onWebhook takes each webhook that is created
 */
export async function startInstantProvider({
  isVerified = () => true,
  onWebhook = () => undefined,
}: {
  readonly isVerified?: (domain: string) => boolean;
  readonly onWebhook?: (webhook: { readonly url: string; readonly secret: string }) => void;
} = {}): Promise<InstantProvider> {
  const requests = new Map<string, number>();
  let created = 0;

  function answer(method: string, path: string, prefer: unknown, body: Body): object {
    const [, collection = '', id = ''] = path.split('/');
    const counted = `${method} /${collection}`;
    requests.set(counted, (requests.get(counted) ?? 0) + 1);
    created += 1;
    switch (counted) {
      case 'POST /api-keys':
        return { id: `key_${created}`, token: `token-${created}-${'x'.repeat(24)}` };
      case 'POST /webhooks': {
        const secret = `whsec_${randomBytes(24).toString('base64')}`;
        onWebhook({ url: body.url ?? '', secret });
        return { id: `whk_${created}`, signing_secret: secret };
      }
      case 'POST /domains':
        // The id of a domain is its name, so that nothing must be remembered.
        return id === '' ? domain(body.name ?? '', false) : domain(id, isVerified(id));
      case 'GET /domains':
        return domain(id, isVerified(id));
      case 'POST /senders':
        return { id: `snd_${created}` };
      case 'POST /emails':
        return email(`eml_${created}`, prefer === undefined ? 'queued' : 'delivered');
      case 'GET /emails':
        return email(id, 'delivered');
      default:
        throw new Error(`The instant provider has no ${counted}`);
    }
  }

  const server = createServer((request, response) => {
    void respond(request, response);
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    try {
      const { method = '', url = '', headers } = request;
      if (method === 'DELETE') {
        response.writeHead(204).end();
        return;
      }
      const content = answer(method, url, headers['prefer'], text === '' ? {} : (JSON.parse(text) as Body));
      response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(content));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Body {
  readonly name?: string;
  readonly url?: string;
}

const email = (id: string, status: string) => ({
  id,
  status,
  delivered_at: status === 'delivered' ? new Date().toISOString() : null,
});

const domain = (name: string, verified: boolean) => ({
  id: name,
  name,
  status: verified ? 'verified' : 'pending',
  records: [
    { purpose: 'dkim', type: 'TXT', name: `k1._domainkey.${name}`, value: `v=DKIM1; k=rsa; p=${'A'.repeat(392)}` },
    { purpose: 'return_path', type: 'MX', name: `bounce.${name}`, value: '10 mx.provider.example' },
    { purpose: 'spf', type: 'TXT', name: `bounce.${name}`, value: 'v=spf1 include:provider.example ~all' },
  ].map((record) => ({ ...record, required: true, status: verified ? 'found' : 'missing', findings: [] })),
});
