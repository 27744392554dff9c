import { signWebhook } from '../../../src/lib/webhooks/sign-webhook.ts';
import { verifyWebhook } from '../../../src/http/verify-webhook.ts';
import { startPythonJudges } from '../python-judges.ts';
import type { Suite } from '../suite.ts';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.from('another secret of thirty-two b...').toString('base64')}`;

interface WebhookCase {
  readonly name: string;
  readonly body?: string;
  readonly id?: string;
  readonly ageSeconds?: number;
  /** Changes the request between sender and receiver. */
  readonly tamper?: (sent: Sent) => Sent;
}

interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const withHeader =
  (name: string, change: (value: string) => string) =>
  ({ body, headers }: Sent): Sent => ({ body, headers: { ...headers, [name]: change(headers[name] ?? '') } });

const withoutHeader =
  (name: string) =>
  ({ body, headers }: Sent): Sent => ({
    body,
    headers: Object.fromEntries(Object.entries(headers).filter(([header]) => header !== name)),
  });

const event = (data: object): string =>
  JSON.stringify({ type: 'email.delivered', timestamp: '2026-03-01T12:00:00Z', data });

const webhookCases: readonly WebhookCase[] = [
  { name: 'as sent' },
  { name: 'umlauts and emoji in the body', body: event({ subject: 'Größe 📬 \u2028' }) },
  { name: 'escaped characters in the body', body: event({ subject: '"\\\u0001\n' }) },
  { name: 'a body of 19 KB', body: event({ records: 'x'.repeat(19_000) }) },
  { name: 'an id with dots', id: 'evt.1.2' },
  { name: 'four minutes old', ageSeconds: 240 },
  { name: 'six minutes old', ageSeconds: 360 },
  { name: 'six minutes early', ageSeconds: -360 },
  { name: 'another body', tamper: (sent) => ({ ...sent, body: sent.body.replace('delivered', 'bounced') }) },
  { name: 'a space more in the body', tamper: (sent) => ({ ...sent, body: `${sent.body} ` }) },
  { name: 'another id', tamper: withHeader('webhook-id', (id) => `${id}0`) },
  { name: 'another timestamp', tamper: withHeader('webhook-timestamp', (at) => String(Number(at) - 1)) },
  { name: 'a timestamp that is not a number', tamper: withHeader('webhook-timestamp', () => 'now') },
  { name: 'another version', tamper: withHeader('webhook-signature', (value) => value.replace('v1,', 'v2,')) },
  { name: 'two signatures, the second right', tamper: withHeader('webhook-signature', (value) => `v1,AAAA ${value}`) },
  { name: 'an empty signature', tamper: withHeader('webhook-signature', () => '') },
  { name: 'no id', tamper: withoutHeader('webhook-id') },
  { name: 'no timestamp', tamper: withoutHeader('webhook-timestamp') },
  { name: 'no signature', tamper: withoutHeader('webhook-signature') },
  {
    name: 'signed with another secret',
    tamper: ({ body, headers }) => ({
      body,
      headers: signWebhook(
        { id: headers['webhook-id'] ?? '', sentAt: new Date(Number(headers['webhook-timestamp']) * 1_000), body },
        OTHER_SECRET,
      ),
    }),
  },
];

/** Compares the signature of the email service, and the verdict of the orchestrator, with Python's. */
export const webhooks: Suite = {
  name: 'webhooks',
  title: 'webhook signatures, made and verified as by the reference library of Standard Webhooks in Python',
  debian: {},
  python: true,
  async *run({ tools, wants }) {
    const python = startPythonJudges(tools.python);
    try {
      for (const { name, body = event({ id: 'eml_1' }), id = 'evt_1', ageSeconds = 0, tamper } of webhookCases) {
        if (!wants(name)) continue;
        const at = Math.floor(Date.now() / 1_000) - ageSeconds;
        const signed = signWebhook({ id, sentAt: new Date(at * 1_000), body }, SECRET);
        const theirSignature = await python.ask<string>('webhook_sign', { id, at, body, secret: SECRET });
        yield {
          case: `${name}: the signature`,
          judge: 'standardwebhooks',
          theirs: theirSignature,
          ours: signed['webhook-signature'] ?? 'none',
        };
        const arrived = tamper?.({ body, headers: signed }) ?? { body, headers: signed };
        const verdict = await python.ask<string>('webhook_verify', { ...arrived, secret: SECRET });
        const ours = verifyWebhook({
          body: Buffer.from(arrived.body),
          headers: arrived.headers,
          signingSecret: SECRET,
        });
        yield {
          case: `${name}: the verdict`,
          judge: 'standardwebhooks',
          theirs: verdict.startsWith('accepted') ? 'accepted' : 'refused',
          ours: ours === undefined ? 'refused' : 'accepted',
          detail: verdict,
        };
      }
    } finally {
      await python.close();
    }
  },
};
