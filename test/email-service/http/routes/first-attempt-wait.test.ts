import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FirstAttempts } from '../../../../src/email-service/background/first-attempts.ts';
import type { EmailResource } from '../../../../src/email-service/resources/email.ts';
import { firstAttemptsOverSmtp } from '../../support/first-attempts-over-smtp.ts';
import { startScriptedSmtpServer, type ScriptedSmtpServer } from '../../support/scripted-smtp-server.ts';
import { deliver, email, type Sent, startTestApi, type TestApi } from '../../support/test-api.ts';
import { idleBackground } from '../../support/idle-background.ts';

let server: ScriptedSmtpServer;
let api: TestApi;
let firstAttempts: FirstAttempts;
let isHttpOnly: boolean;
let token: string;
let senderId: string;
beforeEach(async () => {
  server = await startScriptedSmtpServer();
  isHttpOnly = false;
  api = await startTestApi({
    background: {
      ...idleBackground,
      makesFirstAttempts: true,
      begin: (attempt) => {
        if (!isHttpOnly) firstAttempts.begin(attempt);
      },
      firstAttemptEnded: (workflowId) => firstAttempts.ended(workflowId),
    },
  });
  const { store, sealer, clock } = api;
  firstAttempts = firstAttemptsOverSmtp({ store, sealer, smtpPort: server.port, now: () => clock.time });
  token = await api.openAccount('acme');
  senderId = await api.sender(token, 'hello@acme.test');
});
afterEach(async () => {
  await firstAttempts.stop();
  await api.end();
  await server.stop();
});

const send = (prefer?: string, key = 'email'): Sent =>
  api.inject({
    method: 'POST',
    url: '/emails',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': key,
      ...(prefer === undefined ? {} : { prefer }),
    },
    payload: email(senderId),
  });

describe('POST /emails with Prefer: wait=N', () => {
  test('answers with the delivered email', async () => {
    const answer = await send('wait=10');
    expect(answer.statusCode).toBe(202);
    expect(answer.headers).toMatchObject({ 'preference-applied': 'wait=10' });
    const sent = answer.json<EmailResource>();
    expect(sent).toMatchObject({ status: 'delivered', attempts: [{ number: 1, outcome: 'delivered' }] });
    expect((await api.get(`/emails/${sent.id}`, token)).json()).toEqual(sent);
  });

  test('answers after the first attempt with an email that is deferred or bounces', async () => {
    server.answer({ rcpt: '451 4.3.0 later' });
    expect((await send('wait=10')).json()).toMatchObject({ status: 'queued', attempts: [{ outcome: 'deferred' }] });
    server.answer({ rcpt: '550 5.1.1 unknown' });
    expect((await send('wait=10', 'other')).json()).toMatchObject({
      status: 'bounced',
      bounce: { category: 'recipient' },
    });
  });

  test('answers after N seconds with the email as it is then, while the attempt goes on', async () => {
    server.answer({ message: 'silence' });
    const answer = await send('respond-async, wait=2');
    expect(answer.headers).toMatchObject({ 'preference-applied': 'wait=2' });
    expect(answer.json()).toMatchObject({ status: 'queued', attempts: [{ outcome: 'started' }] });
    await expect.poll(() => server.messages).toHaveLength(1);
    server.say('250 2.0.0 kept');
    const { id } = answer.json<EmailResource>();
    await expect
      .poll(async () => (await api.get(`/emails/${id}`, token)).json<EmailResource>().status)
      .toBe('delivered');
    expect(server.messages).toHaveLength(1);
  });

  test('answers at once when the program stops, while the attempt goes on', async () => {
    server.answer({ message: 'silence' });
    const begun = performance.now();
    const answering = send('wait=10');
    await expect.poll(() => server.messages).toHaveLength(1);
    await api.app.close();
    expect((await answering).json()).toMatchObject({ status: 'queued', attempts: [{ outcome: 'started' }] });
    expect(performance.now() - begun).toBeLessThan(5_000);
    server.say('250 2.0.0 kept');
  });

  test('answers after the attempt of another process', async () => {
    isHttpOnly = true;
    const answering = send('wait=10');
    const stored = async () => (await api.store.selectFrom('emails').select('id').executeTakeFirst())?.id ?? '';
    await expect.poll(stored).toMatch(/^eml_/);
    const emailId = await stored();
    await deliver(api, emailId);
    expect((await answering).json()).toMatchObject({ id: emailId, status: 'delivered' });
  });

  test('waits again when it is repeated, and sends one email', async () => {
    server.answer({ message: 'silence' });
    const [first, repeat] = [send('wait=10'), send('wait=10')];
    await expect.poll(() => server.messages).toHaveLength(1);
    server.say('250 2.0.0 kept');
    expect((await repeat).json()).toEqual((await first).json());
    expect((await repeat).json()).toMatchObject({ status: 'delivered' });
    const replayed = [(await first).headers, (await repeat).headers].filter((each) => each['idempotent-replayed']);
    expect(replayed).toMatchObject([{ 'preference-applied': 'wait=10' }]);
    expect((await send()).json()).toEqual({ id: (await first).json<EmailResource>().id, status: 'queued' });
    expect(server.messages).toHaveLength(1);
  });

  test('does not wait without it, or for a value that is no number of seconds', async () => {
    server.answer({ message: 'silence' });
    for (const [key, prefer] of [
      ['one', undefined],
      ['two', 'wait=soon'],
    ] as const) {
      const answer = await send(prefer, key);
      expect(answer.json()).toEqual({ id: expect.any(String) as string, status: 'queued' });
      expect(answer.headers).not.toHaveProperty('preference-applied');
    }
    const answer = await send('wait=0', 'three');
    expect(answer.headers).toMatchObject({ 'preference-applied': 'wait=0' });
    expect(answer.json()).toMatchObject({ status: 'queued', subject: 'Welcome' });
    await expect.poll(() => server.messages).toHaveLength(3);
    server.say('250 2.0.0 kept');
  });
});
