import { sql } from 'kysely';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bounceOfReply } from '../../../../src/email-service/delivery/classify-bounce.ts';
import type { DeliveryResult } from '../../../../src/email-service/delivery/deliver-message.ts';
import type { Reports } from '../../../../src/email-service/inbound/report.ts';
import { newId } from '../../../../src/email-service/resources/resource-ids.ts';
import { beginAttempt } from '../../../../src/email-service/store/delivery-attempts.ts';
import { removals } from '../../../../src/email-service/store/expired-rows.ts';
import { recordDeferral, recordFinalStatus } from '../../../../src/email-service/store/record-attempt.ts';
import { recordReport } from '../../../../src/email-service/store/record-report.ts';
import { webhookDelivery } from '../../../../src/email-service/store/webhook-deliveries.ts';
import { webhookBody } from '../../../../src/email-service/webhooks/webhook-body.ts';
import { email, OPERATOR_TOKEN, type SendingApi, startSendingApi } from '../../support/test-api.ts';

const ADA = 'Ada.Lovelace@Recipient.TEST';
const FORM = ADA.toLowerCase();

let api: SendingApi;
let webhookId: string;
beforeEach(async () => {
  api = await startSendingApi();
  const webhook = { url: 'https://receiver.example.com/', events: ['email.bounced', 'email.delivered'] };
  webhookId = (await api.post('/webhooks', webhook)).json<{ id: string }>().id;
});
afterEach(() => api.end());

/** A request that names the person wherever a caller can. */
const request = (changes: object = {}, from = api.senderId) =>
  email(from, {
    ...{ recipient: ADA, subject: `For ${ADA}`, body: `Dear ${ADA}`, html: `<p>${ADA}</p>` },
    ...{ headers: { 'X-To': ADA }, metadata: { [ADA]: ADA }, tags: [ADA] },
    ...changes,
  });

async function send(key: string, changes: object = {}, { from = api.senderId, by = api.token } = {}): Promise<string> {
  const answer = await api.post('/emails', request(changes, from), { token: by, key });
  expect(answer.statusCode).toBe(202);
  return answer.json<{ id: string }>().id;
}

const reply = { replyCode: 550, enhancedCode: '5.1.1', text: `<${ADA}>: no such user` };
const refused = (attempt: number): DeliveryResult => {
  const remoteMta = 'mx.recipient.test';
  return { kind: 'bounced', remoteMta, bounce: bounceOfReply({ reply, command: 'RCPT TO', remoteMta, attempt }) };
};

async function begin(emailId: string): Promise<number> {
  const now = api.clock.time;
  const signedMessage = `To: ${ADA}\r\n\r\n`;
  const begun = await beginAttempt(api.store, { emailId, holder: 'test', signedMessage, now });
  if (!('number' in begun)) throw new Error('not free');
  return begun.number;
}

async function bounce(emailId: string): Promise<void> {
  const [number, now] = [await begin(emailId), api.clock.time];
  const deferred = { kind: 'deferred', remoteMta: 'mx.recipient.test', reply, diagnostic: `later, ${ADA}` } as const;
  const common = { emailId, number, now, claimed: false };
  await recordDeferral(api.store, { ...common, result: deferred, withEvent: true, retryInMs: 1 });
  const result = refused(await begin(emailId));
  if (result.kind !== 'bounced') throw new Error();
  await recordFinalStatus(api.store, api.sealer, {
    ...common,
    number: number + 1,
    result,
    status: 'bounced',
    bounce: result.bounce,
  });
}

async function deliver(emailId: string): Promise<void> {
  const common = { emailId, number: await begin(emailId), now: api.clock.time, claimed: false };
  const result = { kind: 'delivered', remoteMta: 'mx.recipient.test', reply } as const;
  await recordFinalStatus(api.store, api.sealer, { ...common, result, status: 'delivered' });
}

const lateBounce: Reports[number] = {
  kind: 'failed',
  recipients: [ADA],
  status: '5.1.1',
  diagnostic: `550 <${ADA}> unknown`,
};
const complaint: Reports[number] = { kind: 'complaint', recipients: [], type: 'abuse' };
const report = (emailId: string, found: Reports[number] = lateBounce) =>
  recordReport(api.store, api.sealer, { emailId, reports: [found], now: api.clock.time, claimed: false });

const erase = (body: object = { recipient: ADA }, by = api.token) => api.post('/erasures', body, { token: by });

/** `table.column` of every value that has the text, in any case. */
async function placesOf(text: string): Promise<string[]> {
  const places: string[] = [];
  const tables = (await api.store.introspection.getTables()).filter(({ isView }) => !isView);
  expect(tables.length).toBeGreaterThan(15);
  for (const { name, schema } of tables) {
    const table = schema === undefined ? sql.table(name) : sql.table(`${schema}.${name}`);
    const { rows } = await sql<Record<string, unknown>>`select * from ${table}`.execute(api.store);
    for (const row of rows)
      for (const [column, value] of Object.entries(row)) {
        const shown = Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
        if (shown.toLowerCase().includes(text.toLowerCase())) places.push(`${name}.${column}`);
      }
  }
  return [...new Set(places)].sort();
}

describe('POST /erasures', () => {
  test('leaves the address in no column of any table, and says how many rows of each kind had it', async () => {
    const bounced = await send(`bounced-${ADA}`);
    await bounce(bounced);
    const suppressed = await send(`suppressed-${FORM}`, { recipient: FORM });
    const delivered = await send('delivered', { suppression_override: `${ADA} asked` });
    await deliver(delivered);
    await report(delivered);
    await api.post('/suppressions', { addresses: [ADA], reason: `by ${ADA}` }, { key: `suppress-${FORM}` });
    expect(await placesOf(FORM)).toEqual([
      'delivery_attempts.diagnostic',
      'email_tags.tag',
      ...['body', 'bounce', 'headers', 'html', 'late_bounce', 'metadata', 'recipient', 'signed_message', 'subject'].map(
        (column) => `emails.${column}`,
      ),
      'emails.suppression_override',
      'emails.tags',
      'events.data',
      'idempotency_keys.key',
      ...['address', 'reason'].map((column) => `suppressions.${column}`),
    ]);

    const answer = await erase();
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { accounts: 1, emails: 3, attempts: 3, events: 5, suppressions: 1, idempotency_keys: 4 },
    ]);
    expect(await placesOf('lovelace')).toEqual([]);
    expect(await placesOf('recipient.test')).toEqual([]);
    expect(api.logLines.join('').toLowerCase()).not.toContain('lovelace');
    for (const id of [bounced, suppressed, delivered]) {
      const shown = await api.get(`/emails/${id}`);
      expect([shown.statusCode, shown.json()]).toMatchObject([
        200,
        { id, recipient: '', subject: '', metadata: {}, tags: [], erased_at: api.clock.time.toISOString() },
      ]);
    }
    expect((await api.get(`/emails/${delivered}`)).json()).toMatchObject({
      status: 'delivered',
      late_bounce: { code: '5.1.1', category: 'recipient', reason: 'The text was erased with the recipient.' },
    });
    expect((await api.get(`/emails?recipient=${encodeURIComponent(ADA)}`)).json()).toMatchObject({ data: [] });
    expect((await api.get(`/emails?tag=${encodeURIComponent(ADA)}`)).json()).toMatchObject({ data: [] });
    expect((await api.get('/events')).json<{ data: object[] }>().data).toHaveLength(5);
    expect((await erase()).json()).toEqual({
      ...{ accounts: 0, emails: 0, attempts: 0, events: 0, suppressions: 0, idempotency_keys: 0 },
    });
  });

  test('keeps a suppression in force, in any case of the address, until it is deleted', async () => {
    await bounce(await send('first'));
    await erase();
    const listed = (await api.get('/suppressions')).json<{ data: object[] }>().data;
    expect(listed).toMatchObject([{ address: '', cause: 'bounce', reason: expect.stringContaining('before it was') }]);
    const path = `/suppressions/${encodeURIComponent(ADA.toUpperCase())}`;
    expect((await api.get(path)).json()).toEqual(listed[0]);
    expect((await api.put(path, {})).json()).toEqual(listed[0]);
    const imported = await api.post('/suppressions', { addresses: [ADA] });
    expect(imported.json()).toEqual({ added: 0, already_suppressed: 1 });

    const again = await send('second', { recipient: FORM });
    expect((await api.get(`/emails/${again}`)).json()).toMatchObject({
      status: 'bounced',
      bounce: { category: 'suppressed' },
    });
    expect((await erase()).json()).toMatchObject({ emails: 1, events: 1, suppressions: 0 });
    expect(await placesOf('lovelace')).toEqual([]);

    expect((await api.delete(path)).statusCode).toBe(204);
    expect((await api.get(path)).statusCode).toBe(404);
    await deliver(await send('third'));
  });

  test('is refused while an email to the address is queued, and changes nothing', async () => {
    await bounce(await send('ended'));
    await send('waits', { suppression_override: 'asked' });
    await send('waits-too', { suppression_override: 'asked', recipient: FORM });
    const before = await placesOf(FORM);
    const answer = await erase();
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      { code: 'emails_queued', detail: expect.stringMatching(/^2 emails to this address are still queued/) },
    ]);
    expect(await placesOf(FORM)).toEqual(before);
    expect((await api.get('/erasures')).json()).toMatchObject({ data: [] });
  });

  test('lets a repeated POST /emails get its first answer, and refuses another body under its key', async () => {
    const key = `welcome-${ADA}`;
    const id = await send(key);
    await deliver(id);
    await erase();
    const repeated = await api.post('/emails', request(), { key });
    expect([repeated.statusCode, repeated.json(), repeated.headers['idempotent-replayed']]).toEqual([
      202,
      { id, status: 'queued' },
      'true',
    ]);
    const other = await api.post('/emails', request({ subject: 'Another' }), { key });
    expect(other.json()).toMatchObject({ code: 'idempotency_key_reused', existing_id: id });
    expect(await placesOf('lovelace')).toEqual([]);
  });

  test('lets a repetition that is uploaded while the account erases for the first time get its first answer', async () => {
    const id = await send('welcome');
    await deliver(id);
    const payload = new Readable({ read: () => void payload.emit('reading') });
    const reading = once(payload, 'reading');
    const repetition = api.inject({
      ...{ method: 'POST', url: '/emails', payload },
      headers: {
        authorization: `Bearer ${api.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'welcome',
      },
    });
    await reading;
    await erase();
    payload.push(JSON.stringify(request()));
    payload.push(null);
    expect((await repetition).json()).toEqual({ id, status: 'queued' });
    expect(await api.store.selectFrom('emails').select('id').execute()).toEqual([{ id }]);
  });

  test('marks a key that has the form of a mark', async () => {
    const key = `erased:${ADA}`;
    const id = await send(key);
    await deliver(id);
    expect((await erase()).json()).toMatchObject({ emails: 1, idempotency_keys: 1 });
    expect(await placesOf('lovelace')).toEqual([]);
    const repeated = await api.post('/emails', request(), { key });
    expect(repeated.json()).toEqual({ id, status: 'queued' });
  });

  test('removes a key of which a mark is left already', async () => {
    const first = await send('welcome');
    await deliver(first);
    const row = await api.store.selectFrom('idempotency_keys').selectAll().executeTakeFirstOrThrow();
    await erase();
    // As if another process had looked for the key before the first request's commit, and taken it after the erasure.
    const second = await send('another');
    await deliver(second);
    const taken = { ...row, email_id: second };
    await api.store.deleteFrom('idempotency_keys').where('email_id', '=', second).execute();
    await api.store.insertInto('idempotency_keys').values(taken).execute();
    expect((await erase()).json()).toMatchObject({ emails: 1, idempotency_keys: 1 });
    const repeated = await api.post('/emails', request(), { key: 'welcome' });
    expect(repeated.json()).toEqual({ id: first, status: 'queued' });
  });

  test('lets a pending webhook send the event without the person', async () => {
    const id = await send('bounced');
    await bounce(id);
    await erase();
    const event = (await api.get('/events')).json<{ data: { id: string; type: string }[] }>().data.at(-1);
    const pending = await webhookDelivery(api.store, event?.id ?? '', webhookId);
    if (pending === undefined) throw new Error('no delivery');
    const { type, timestamp, data } = pending;
    const body = webhookBody({ type, timestamp, data: JSON.parse(data) as Record<string, unknown> });
    expect(body.toLowerCase()).not.toContain('lovelace');
    expect(JSON.parse(body)).toMatchObject({
      type: 'email.bounced',
      data: {
        id,
        status: 'bounced',
        recipient: '',
        bounce: { category: 'recipient', smtp_code: 550, diagnostic: null },
      },
    });
  });

  test('lets no later report and no late end of an attempt write the person again', async () => {
    const id = await send('delivered');
    const number = await begin(id);
    await api.store.updateTable('delivery_attempts').set({ lease_until: 0 }).execute();
    await deliver(id);
    await erase();
    expect(await report(id)).toEqual({ outcome: 'unrelated' });
    expect(await report(id, complaint)).toEqual({ outcome: 'unrelated' });
    const result = { kind: 'deferred', remoteMta: 'mx.recipient.test', reply, diagnostic: `later, ${ADA}` } as const;
    const late = { emailId: id, number, now: api.clock.time, claimed: false, result, withEvent: true, retryInMs: 1 };
    expect(await recordDeferral(api.store, late)).toMatchObject({ status: 'delivered' });
    expect(await placesOf('lovelace')).toEqual([]);
    expect(await placesOf('recipient.test')).toEqual([]);
    expect((await api.get('/suppressions')).json()).toMatchObject({ data: [] });
  });

  test('erases the events of an email that the retention has removed, in the account of the key and in all', async () => {
    const other = await api.openAccount('globex');
    const from = await api.sender(other, 'hello@globex.test');
    await bounce(await send('mine', { recipient: FORM }));
    await deliver(await send('foreign', {}, { from, by: other }));
    await api.post('/suppressions', { addresses: ['bob@else.test'] });
    await api.post('/emails', email(api.senderId, { recipient: 'bob@else.test' }), { key: 'of-bob' });
    const page = { before: '9999', after: undefined, limit: 10 };
    expect(await removals.emails(api.store, page)).toMatchObject({ removed: 3 });
    await api.store.deleteFrom('suppressions').execute();
    expect(JSON.stringify((await api.get('/events')).json())).toContain(ADA);

    expect((await erase()).json()).toMatchObject({ accounts: 1, emails: 0, events: 2 });
    const events = (await api.get('/events')).json<{ data: { data: object }[] }>().data;
    expect(events).toMatchObject([
      ...[{ type: 'email.deferred' }, { type: 'email.bounced' }].map(({ type }) => ({
        ...{ type, data: { recipient: '', subject: '', erased_at: api.clock.time.toISOString() } },
      })),
      { data: { recipient: 'bob@else.test' } },
    ]);
    expect((await erase(undefined, OPERATOR_TOKEN)).json()).toMatchObject({ accounts: 1, emails: 0, events: 1 });
    expect(await placesOf('lovelace')).toEqual([]);
    expect((await erase(undefined, OPERATOR_TOKEN)).json()).toMatchObject({ accounts: 0, events: 0 });
  });

  test('is recorded with who, when and how many, found by the address, without having it', async () => {
    await deliver(await send('delivered'));
    await erase();
    const { id: keyId } = await api.store.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
    const at = api.clock.time.toISOString();
    const recorded = {
      ...{ id: expect.stringMatching(/^ers_/), requested_by: keyId, requested_at: at, finished_at: at },
      ...{ emails: 1, attempts: 1, events: 1, suppressions: 0, idempotency_keys: 1 },
    };
    expect((await api.get(`/erasures?recipient=${FORM}`)).json()).toEqual({
      data: [recorded],
      next_cursor: null,
    });
    expect((await api.get('/erasures?account=acme', OPERATOR_TOKEN)).json()).toMatchObject({ data: [recorded] });
    expect((await api.get('/erasures?recipient=other@recipient.test')).json()).toMatchObject({ data: [] });
  });

  test('changes nothing of another account, whose address has another mark', async () => {
    const other = await api.openAccount('globex');
    const from = await api.sender(other, 'hello@globex.test');
    const mine = await send('mine');
    await bounce(mine);
    const foreign = await send('foreign', {}, { from, by: other });
    await bounce(foreign);
    const theirs = async () => [
      (await api.get(`/emails/${foreign}`, other)).json<object>(),
      (await api.get('/events', other)).json<object>(),
      (await api.get('/suppressions', other)).json<object>(),
      await api.store.selectFrom('idempotency_keys').selectAll().where('email_id', '=', foreign).execute(),
    ];
    const before = await theirs();
    expect((await erase()).json()).toMatchObject({ emails: 1 });
    expect(await theirs()).toEqual(before);
    expect((await erase({ recipient: ADA, account: 'globex' })).json()).toMatchObject({ code: 'insufficient_scope' });
    expect(await theirs()).toEqual(before);
    await erase(undefined, other);
    const marks = await api.store.selectFrom('suppressions').select('address').execute();
    expect(new Set(marks.map(({ address }) => address)).size).toBe(2);
  });

  test('with the operator token erases in one account, or in all', async () => {
    const other = await api.openAccount('globex');
    const from = await api.sender(other, 'hello@globex.test');
    await api.openAccount('without');
    await bounce(await send('mine'));
    await bounce(await send('foreign', {}, { from, by: other }));
    const one = await erase({ recipient: ADA, account: 'globex' }, OPERATOR_TOKEN);
    expect(one.json()).toMatchObject({ accounts: 1, emails: 1, suppressions: 1 });
    expect((await erase(undefined, OPERATOR_TOKEN)).json()).toMatchObject({ accounts: 1, emails: 1, suppressions: 1 });
    expect(await placesOf('lovelace')).toEqual([]);
    expect((await erase({ recipient: ADA, account: 'nobody' }, OPERATOR_TOKEN)).statusCode).toBe(404);
  });

  test('with the operator token leaves alone an account in which the erasure of another address was cut off', async () => {
    const other = await api.openAccount('globex');
    await api.store.schema.alterTable('suppressions').renameTo('suppressions_away').execute();
    expect((await erase({ recipient: 'bob@else.test' }, other)).statusCode).toBe(500);
    await api.store.schema.alterTable('suppressions_away').renameTo('suppressions').execute();
    await deliver(await send('mine'));
    await erase(undefined, OPERATOR_TOKEN);
    expect((await api.get(`/erasures?recipient=${FORM}`, other)).json()).toMatchObject({ data: [] });
    expect((await api.get('/erasures', other)).json()).toMatchObject({ data: [{ finished_at: null }] });
    await erase({ recipient: 'bob@else.test' }, OPERATOR_TOKEN);
    expect((await api.get('/erasures', other)).json()).toMatchObject({ data: [{ finished_at: expect.any(String) }] });
  });

  test('with the operator token finds accounts in which only an Idempotency-Key names the person, of any request', async () => {
    await api.post(
      '/webhooks',
      { url: 'https://a.example.com/', events: ['email.bounced'] },
      { key: `webhook-${FORM}` },
    );
    await api.post('/api-keys', {}, { key: `key-${ADA}` });
    await api.post('/emails', email(api.senderId, { recipient: 'bob@else.test' }), { key: `instead-of-${ADA}` });
    const other = await api.openAccount('globex');
    const from = await api.sender(other, 'hello@globex.test');
    const toBob = email(from, { recipient: 'bob@else.test' });
    const id = await api.post('/emails', toBob, { token: other, key: `about-${ADA}` });
    expect((await erase(undefined, OPERATOR_TOKEN)).json()).toMatchObject({ accounts: 2, idempotency_keys: 4 });
    const named = await api.store.selectFrom('idempotency_keys').select('key').execute();
    expect(named.filter(({ key }) => key.toLowerCase().includes(FORM))).toEqual([]);
    expect((await api.post('/emails', toBob, { token: other, key: `about-${ADA}` })).json()).toEqual(id.json());
    expect((await erase(undefined, OPERATOR_TOKEN)).json()).toMatchObject({ accounts: 0, idempotency_keys: 0 });
  });

  test('lists the address once and not in clear again when an email that overrides its suppression bounces', async () => {
    await api.post('/suppressions', { addresses: [ADA] });
    await erase();
    const override = { suppression_override: 'They asked.' };
    await bounce(await send('one', override));
    const late = await send('two', override);
    await deliver(late);
    await report(late);
    const complained = await send('three', override);
    await deliver(complained);
    await report(complained, complaint);
    expect((await api.get('/suppressions')).json()).toMatchObject({ data: [{ address: '', cause: 'manual' }] });
  });

  test('takes many emails in slices, and a call that follows one that was cut off counts what both erased', async () => {
    const id = await send('first');
    await deliver(id);
    const template = await api.store.selectFrom('emails').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const more = Array.from({ length: 450 }, () => ({ ...template, id: newId('eml') }));
    await api.store.insertInto('emails').values(more).execute();
    await api.store.schema.alterTable('suppressions').renameTo('suppressions_away').execute();
    expect((await erase()).statusCode).toBe(500);
    await api.store.schema.alterTable('suppressions_away').renameTo('suppressions').execute();
    await deliver(await send('later'));
    expect((await erase()).json()).toMatchObject({ emails: 452, events: 2, idempotency_keys: 2 });
    const rows = (await api.get('/erasures')).json<{ data: object[] }>().data;
    expect(rows).toMatchObject([{ emails: 452, finished_at: api.clock.time.toISOString() }]);
  });

  test.each([
    ['an address that is none', { recipient: 'ada' }, 422],
    ['no address', {}, 422],
    ['another field', { recipient: ADA, all: true }, 422],
  ])('refuses %s', async (_, body, status) => {
    expect((await erase(body)).statusCode).toBe(status);
  });
});
