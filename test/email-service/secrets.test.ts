import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { email, OPERATOR_TOKEN, startTestApi, type TestApi } from './support/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.end());

describe('secrets', () => {
  test('appear neither in the database file nor in a log, and email content appears in no log', async () => {
    const made = await api.post('/api-keys', { account: 'acme' }, { token: OPERATOR_TOKEN, key: 'key' });
    const { token } = made.json<{ token: string }>();
    const webhook = { url: 'https://receiver.example.com/', events: ['email.delivered'] };
    const created = await api.post('/webhooks', webhook, { token, key: 'webhook' });
    const { signing_secret: signingSecret } = created.json<{ signing_secret: string }>();
    const senderId = await api.sender(token, 'hello@acme.test');
    const sent = await api.post('/emails', email(senderId, { body: 'for Ada only' }), { token, key: 'email' });
    // Failures log more than successes.
    await api.post('/emails', email(senderId, { body: 'for Ada only', recipient: 'nobody' }), { token, key: 'other' });
    await api.get('/events', `${token}x`);
    await api.get(`/events?limit=1&token=${token}&${token}`, token);
    await api.store.schema.alterTable('webhooks').renameTo('webhooks_away').execute();
    const failed = await api.post('/webhooks', webhook, { token });
    await api.store.schema.alterTable('webhooks_away').renameTo('webhooks').execute();
    expect([sent.statusCode, failed.statusCode]).toEqual([202, 500]);

    const bytes = await api.databaseBytes();
    const log = api.logLines.join('');
    expect(bytes).toContain('acme.test');
    expect(log).toContain('/webhooks');
    expect(log).toContain('"/events?limit"');
    for (const secret of [
      token,
      signingSecret,
      OPERATOR_TOKEN,
      'PRIVATE KEY',
      token.slice(8),
      signingSecret.slice(6),
    ]) {
      expect(bytes.includes(secret)).toBe(false);
      expect(log.includes(secret)).toBe(false);
    }
    expect(log).not.toContain('for Ada only');
    expect(log).not.toContain('ada@recipient.test');
  });

  test('of a DKIM key open only in the context of their own domain', async () => {
    const token = await api.openAccount('acme');
    await api.post('/domains', { name: 'acme.test' }, { token });
    const row = await api.store.selectFrom('domains').selectAll().executeTakeFirstOrThrow();
    expect(api.sealer.open(row.sealed_dkim_private_key, `domain/${row.id}/dkim`)).toContain('BEGIN PRIVATE KEY');
    expect(() => api.sealer.open(row.sealed_dkim_private_key, 'domain/dom_other/dkim')).toThrow('cannot open');
  });
});
