import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EmailResource } from '../../../../src/email-service/resources/email.ts';
import { removals } from '../../../../src/email-service/store/expired-rows.ts';
import {
  email,
  OPERATOR_TOKEN,
  type SendingApi,
  type Sent,
  startSendingApi,
  problemIn,
} from '../../support/test-api.ts';

let api: SendingApi;
beforeEach(async () => {
  api = await startSendingApi();
});
afterEach(() => api.end());

const post = (emails: unknown, key: string = crypto.randomUUID(), by = api.token): Sent =>
  api.post('/emails/batch', { emails }, { token: by, key });
const many = (count: number, changes: object = {}) =>
  Array.from({ length: count }, (_, n) => email(api.senderId, { recipient: `m${String(n)}@x.test`, ...changes }));
const accepted = async (sent: Sent) =>
  (await sent).json<{ emails: { id: string; status: string; ids?: string[] }[] }>().emails;
const count = async (table: 'emails' | 'outbox' | 'idempotency_keys' | 'sending_limits' | 'events') =>
  Number(
    (
      await api.store
        .selectFrom(table)
        .select((row) => row.fn.countAll<number>().as('rows'))
        .executeTakeFirst()
    )?.rows,
  );
const limit = (day: number) => api.put('/accounts/acme/limits', { day }, OPERATOR_TOKEN);

describe('POST /emails/batch', () => {
  test('accepts a hundred emails in the order of the request, once per Idempotency-Key', async () => {
    const starts = await count('outbox');
    const answer = await post(many(100), 'once');
    const { emails } = answer.json<{ emails: { id: string; status: string }[] }>();
    expect([answer.statusCode, emails.length, await count('emails'), await count('outbox')]).toEqual([
      ...[202, 100, 100, starts + 100],
    ]);
    for (const at of [0, 57, 99]) {
      const { id = '', status } = emails[at] ?? {};
      const shown = (await api.get(`/emails/${id}`)).json<EmailResource>();
      expect([status, shown.recipient, shown.role]).toEqual(['queued', `m${String(at)}@x.test`, undefined]);
    }
    expect(api.asked.filter((each) => each.includes('deliver-email'))).toHaveLength(100);
    const again = await post(many(100), 'once');
    expect([again.headers['idempotent-replayed'], again.json(), await count('emails')]).toEqual([
      ...['true', answer.json(), 100],
    ]);
    const reused = await post(many(99), 'once');
    expect(problemIn(reused)).toEqual([422, 'idempotency_key_reused']);
    expect(reused.json()).toMatchObject({ existing_id: emails[0]?.id });
    expect(problemIn(await api.post('/emails/batch', { emails: many(1) }))).toEqual([
      ...[400, 'idempotency_key_required'],
    ]);
  });

  test('takes what POST /emails takes: several recipients, a later time, suppressed ones', async () => {
    await api.put('/suppressions/gone%40x.test', {});
    const emails = await accepted(
      post([
        email(api.senderId, { recipient: ['a@x.test', 'b@x.test'] }),
        email(api.senderId, { recipient: 'gone@x.test' }),
        email(api.senderId, { scheduled_at: '2026-03-02T12:00:00Z' }),
      ]),
    );
    expect(emails.map(({ ids = [] }) => ids.length)).toEqual([2, 0, 0]);
    const shown = await Promise.all(
      emails.map(async ({ id }) => (await api.get(`/emails/${id}`)).json<EmailResource>()),
    );
    expect(shown).toMatchObject([
      { status: 'queued', recipients: [{ recipient: 'a@x.test' }, { recipient: 'b@x.test' }] },
      { status: 'bounced', bounce: { category: 'suppressed' } },
      { status: 'queued', scheduled_at: '2026-03-02T12:00:00.000Z' },
    ]);
    expect(api.asked.filter((each) => each.includes('deliver-email'))).toHaveLength(2);
  });

  test.each([
    [[{ recipient: 'nobody' }], '/emails/1/recipient malformed'],
    [[{ cc: ['m1@x.test'] }], '/emails/1/cc/0 duplicate'],
    [[{ headers: { Subject: 'x' } }], '/emails/1/headers/Subject reserved_header'],
    [[{ body: 7 }], '/emails/1/body'],
    [[{ body: undefined }], '/emails/1/body'],
    [[{ scheduled_at: '2020-01-01T00:00:00Z' }], '/emails/1/scheduled_at in_the_past'],
    [[{ sender_id: 'snd_none' }], '/emails/1/sender_id sender_not_found'],
    [[{ subject: 'x\r\ny' }, { html: '' }], '/emails/1/subject'],
    [[{ surprise: 1 }], '/emails/1/surprise'],
  ])('accepts none if one is wrong, and names it: %j', async (changes, expected) => {
    const before = await count('outbox');
    const [first = {}, ...others] = many(3);
    const emails = [first, ...others.map((each, index) => ({ ...each, ...changes[index] }))];
    const answer = problemIn(await post(emails));
    expect(answer.slice(0, 2)).toEqual([422, 'validation_failed']);
    expect(String(answer[2])).toContain(expected);
    expect(answer).toHaveLength(2 + changes.length);
    expect([await count('emails'), await count('outbox'), await count('idempotency_keys')]).toEqual([0, before, 0]);
  });

  test('names the email whose domain may not send, and accepts none', async () => {
    const other = await api.sender(api.token, 'hello@other.test');
    await api.store.updateTable('domains').set({ status: 'not_verified' }).where('name', '=', 'other.test').execute();
    const answer = await post([...many(2), email(other)]);
    expect(problemIn(answer)).toEqual([422, 'domain_not_verified', '/emails/2/sender_id domain_not_verified']);
    expect(await count('emails')).toBe(0);
  });

  test('refuses an empty batch, more than a hundred emails and more than 500 recipients', async () => {
    expect(problemIn(await post([]))[0]).toBe(422);
    expect(String(problemIn(await post(many(101)))[2])).toContain('/emails');
    const fifty = Array.from({ length: 50 }, (_, n) => `r${String(n)}@x.test`);
    expect(problemIn(await post(many(11, { recipient: fifty })))).toEqual([
      422,
      'validation_failed',
      '/emails too_many',
    ]);
    expect((await accepted(post(many(10, { recipient: fifty })))).length).toBe(10);
    expect(await count('emails')).toBe(500);
  });

  test('is accepted a second after the one before it, and refused if that takes more than five', async () => {
    await api.put('/accounts/acme/limits', { minute: 600 }, OPERATOR_TOKEN);
    const begun = performance.now();
    // All have their turns before the first one is accepted.
    const answers = await Promise.all(
      Array.from({ length: 14 }, async () => ({ answer: await post(many(20)), tookMs: performance.now() - begun })),
    );
    // Not in the order in which they were sent.
    const taken = answers.filter(({ answer }) => answer.statusCode === 202).map(({ tookMs }) => tookMs);
    taken.sort((left, right) => left - right);
    const refused = answers.filter(({ answer }) => answer.statusCode === 429);
    const pausesMs = taken.slice(1).map((tookMs, index) => tookMs - (taken[index] ?? 0));
    expect(Math.min(...pausesMs)).toBeGreaterThan(500);
    expect([taken.length >= 3, refused.length >= 2, taken.length + refused.length]).toEqual([true, true, 14]);
    expect(await count('emails')).toBe(20 * taken.length);
    for (const { answer } of refused)
      expect([problemIn(answer)[1], answer.headers['retry-after']]).toEqual(['too_many_emails', '5']);
  }, 20_000);

  test('counts each email, and accepts none above a limit', async () => {
    await limit(10);
    expect((await post(many(6))).statusCode).toBe(202);
    const refused = await post(many(6));
    expect([...problemIn(refused), await count('emails')]).toEqual([429, 'too_many_emails', 6]);
    expect((await post(many(4))).headers['ratelimit']).toContain('"day";r=0;');
  });

  test('asks to split a batch larger than a whole limit, and promises no time at which it would pass', async () => {
    await limit(10);
    const refused = await post(many(11));
    expect(problemIn(refused)).toEqual([429, 'too_many_emails']);
    expect(refused.json<{ detail: string }>().detail).toContain(
      '10 in a day. Split it into requests of at most 10 emails',
    );
    expect(refused.headers).not.toHaveProperty('retry-after');
    expect((await post(many(10))).statusCode).toBe(202);
    expect((await post(many(2))).headers).toHaveProperty('retry-after');
  });

  test('needs manage for one override, and no other account knows its emails', async () => {
    const sending = await api.keyWith({ scopes: ['send'] });
    const emails = [...many(1), email(api.senderId, { suppression_override: 'They asked.' })];
    expect(problemIn(await post(emails, 'override', sending))).toEqual([403, 'insufficient_scope']);
    const [first] = await accepted(post(many(2)));
    const other = await api.openAccount('globex');
    expect((await api.get(`/emails/${String(first?.id)}`, other)).statusCode).toBe(404);
    expect(problemIn(await post(many(1), 'theirs', other))).toEqual([
      ...[422, 'validation_failed', '/emails/0/sender_id sender_not_found'],
    ]);
  });

  test('keeps its Idempotency-Key and its emails while one is queued, also if that was moved later', async () => {
    const scheduled_at = '2026-03-02T12:00:00Z';
    const [first, second] = await accepted(post(many(2, { scheduled_at }), 'once'));
    const alone = await accepted(post(many(1), 'alone'));
    const moved = await api.patch(`/emails/${String(second?.id)}`, { scheduled_at: '2026-03-20T12:00:00Z' });
    expect(moved.statusCode).toBe(200);
    const ended = [first, ...alone].map((each) => String(each?.id));
    await api.store.updateTable('emails').set({ status: 'delivered' }).where('id', 'in', ended).execute();
    const page = { before: '2026-03-15T00:00:00.000Z', after: undefined, limit: 100 };
    expect(await removals.emails(api.store, page)).toMatchObject({ removed: 1 });
    await removals.idempotencyKeys(api.store, page);
    const again = await post(many(2, { scheduled_at }), 'once');
    expect([again.statusCode, again.headers['idempotent-replayed'], await count('emails')]).toEqual([202, 'true', 2]);
    await api.store.updateTable('emails').set({ status: 'delivered' }).execute();
    expect(await removals.emails(api.store, { ...page, before: '2026-06-01T00:00:00.000Z' })).toMatchObject({
      removed: 2,
    });
  });

  test('keeps its Idempotency-Key as long as the email that is kept longest, from which an erasure finds it', async () => {
    const emails = await accepted(
      post(
        [...many(1), email(api.senderId, { recipient: 'z@x.test', scheduled_at: '2026-03-20T12:00:00Z' }), ...many(1)],
        'batch',
      ),
    );
    const { email_id: kept } = await api.store
      .selectFrom('idempotency_keys')
      .select('email_id')
      .executeTakeFirstOrThrow();
    expect(kept).toBe(emails[1]?.id);
    await api.store.updateTable('emails').set({ status: 'delivered' }).execute();
    expect((await api.post('/erasures', { recipient: 'm0@x.test' })).json()).toMatchObject({
      ...{ emails: 2, idempotency_keys: 1 },
    });
  });
});
