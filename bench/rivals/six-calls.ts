import { Agent, request } from 'undici';
import type { SixCalls, Tenant } from './six-steps.ts';

const agent = new Agent();

/** The calls of an onboarding at the provider, in their order; each takes what the earlier ones answered. */
export function sixCalls(providerUrl: string): SixCalls {
  async function call(method: 'GET' | 'POST', path: string, token: string, body?: object): Promise<Answer> {
    const answer = await request(providerUrl + path, {
      dispatcher: agent,
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=10' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}`);
    return (await answer.body.json()) as Answer;
  }
  return {
    createKey: async ({ tenantId }: Tenant) =>
      (await call('POST', '/api-keys', 'operator', { account: tenantId, name: 'bench' })).token,
    createWebhook: async ({ tenantId }: Tenant, token: string) =>
      (await call('POST', '/webhooks', token, { url: `http://127.0.0.1/${tenantId}`, events: ['*'] })).id,
    createDomain: async ({ domain }: Tenant, token: string) =>
      (await call('POST', '/domains', token, { name: domain })).id,
    getDomain: async (domainId: string, token: string) => (await call('GET', `/domains/${domainId}`, token)).status,
    createSender: async ({ domain }: Tenant, token: string) =>
      (await call('POST', '/senders', token, { from_address: `hello@${domain}` })).id,
    sendEmail: async (senderId: string, token: string) =>
      (
        await call('POST', '/emails', token, {
          sender_id: senderId,
          recipient: 'ada@example.net',
          subject: 'Hi',
          body: 'Hi',
        })
      ).status,
  };
}

interface Answer {
  readonly id: string;
  readonly token: string;
  readonly status: string;
}
