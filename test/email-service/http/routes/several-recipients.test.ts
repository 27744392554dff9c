import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EmailResource } from '../../../../src/email-service/resources/email.ts';
import { emailContent } from '../../../../src/email-service/store/emails.ts';
import { removals } from '../../../../src/email-service/store/expired-rows.ts';
import { OPERATOR_TOKEN, type SendingApi, type Sent, startSendingApi, problemIn } from '../../support/test-api.ts';

let api: SendingApi;
beforeEach(async () => {
  api = await startSendingApi();
});
afterEach(() => api.end());

const THREE = {
  recipient: ['Ada@Recipient.test', 'bob@recipient.test'],
  cc: ['cy@other.test'],
  bcc: ['dee@other.test'],
};
const send = (changes: object = {}, key?: string): Sent => api.send({ ...THREE, ...changes }, key);
const get = async (id: string, by = api.token) => (await api.get(`/emails/${id}`, by)).json<EmailResource>();
const idsOf = async (sent: Sent): Promise<string[]> => (await sent).json<{ ids: string[] }>().ids;
const count = async (table: 'emails' | 'shared_contents') =>
  (await api.store.selectFrom(table).select('id').execute()).length;
const limit = (day: number) => api.put('/accounts/acme/limits', { day }, OPERATOR_TOKEN);

describe('an email to several recipients', () => {
  test('is one message with one status for each, and each shows all', async () => {
    const answer = await send({ tags: ['news'], html: '<p>Hi</p>' });
    const { ids } = answer.json<{ ids: string[] }>();
    expect([answer.statusCode, answer.json()]).toEqual([202, { id: ids[0], status: 'queued', ids }]);
    const recipients = [
      { id: ids[0], recipient: 'Ada@recipient.test', role: 'to', status: 'queued' },
      { id: ids[1], recipient: 'bob@recipient.test', role: 'to', status: 'queued' },
      { id: ids[2], recipient: 'cy@other.test', role: 'cc', status: 'queued' },
      { id: ids[3], recipient: 'dee@other.test', role: 'bcc', status: 'queued' },
    ];
    const messageId = `<${String(ids[0])}@acme.test>`;
    for (const [index, id] of ids.entries())
      expect(await get(id)).toMatchObject({ ...recipients[index], recipients, message_id: messageId, tags: ['news'] });
    expect(api.asked.slice(-4)).toEqual(ids.map((id) => `begin deliver-email/${id}`));
    const listed = (await api.get('/emails?tag=news')).json<{ data: EmailResource[] }>().data;
    expect(listed.map(({ id, role, recipients: all }) => [id, role, all])).toEqual(
      recipients.map(({ id, role }) => [id, role, undefined]),
    );
    for (const id of ids) {
      expect(await emailContent(api.store, id)).toMatchObject({
        to_recipients: '["Ada@recipient.test","bob@recipient.test"]',
        cc_recipients: '["cy@other.test"]',
        shared_body: 'Hello Ada.',
        shared_html: '<p>Hi</p>',
      });
    }
    expect(await count('shared_contents')).toBe(1);
  });

  test('is repeated as a whole, and an address alone is as it always was', async () => {
    const first = await send({}, 'once');
    const again = await send({}, 'once');
    expect([again.headers['idempotent-replayed'], again.json(), await count('emails')]).toEqual([
      'true',
      first.json(),
      4,
    ]);
    const one = await send({ recipient: ['ada@recipient.test'], cc: [], bcc: [] });
    const { id } = one.json<{ id: string }>();
    expect(one.json()).toEqual({ id, status: 'queued' });
    expect(Object.keys(await get(id))).not.toContain('recipients');
    expect([await count('emails'), await count('shared_contents')]).toEqual([5, 1]);
  });

  test.each([
    [{ recipient: [] }, '/recipient'],
    [{ recipient: ['ada@recipient.test', 'nobody'] }, '/recipient/1 malformed'],
    [{ cc: ['a@x.test', 'b@@x.test'] }, '/cc/1 malformed'],
    [{ bcc: ['x@y.test\r\nBcc: z@y.test'] }, '/bcc/0'],
    [{ bcc: ['ADA@recipient.test'] }, '/bcc/0 duplicate'],
    [{ cc: ['a@x.test', 'A@X.TEST.'] }, '/cc/1 duplicate'],
    [{ cc: ['nobody@sandbox.invalid'] }, '/cc/0 unknown_sandbox_recipient'],
    [{ recipient: 'bounced.@Sandbox.Invalid.' }, '/recipient malformed'],
    [{ recipient: 'bouncedx+1@Sandbox.Invalid.' }, '/recipient unknown_sandbox_recipient'],
    [{ cc: 'a@x.test' }, '/cc'],
    [{ recipient: 7 }, '/recipient'],
    [{ recipient: { address: 'a@x.test' } }, '/recipient'],
    [{ bcc: Array.from({ length: 48 }, (_, n) => `m${String(n)}@x.test`) }, '/recipient too_many'],
    [{ bcc: Array.from({ length: 51 }, (_, n) => `m${String(n)}@x.test`) }, '/bcc'],
  ])('is refused with the field: %j', async (changes, expected) => {
    const [status, code, first] = problemIn(await send(changes));
    expect([status, code]).toEqual([422, 'validation_failed']);
    expect(String(first)).toContain(expected);
    expect(await count('emails')).toBe(0);
  });

  test('takes fifty, and counts each against the limits', async () => {
    const fifty = { recipient: Array.from({ length: 50 }, (_, n) => `m${String(n)}@x.test`), cc: [], bcc: [] };
    await limit(99);
    expect((await idsOf(send(fifty))).length).toBe(50);
    const refused = await send(fifty);
    expect([...problemIn(refused), refused.headers['ratelimit']]).toEqual([
      ...[429, 'too_many_emails'],
      expect.stringContaining('"day";r=49;') as string,
    ]);
    expect(refused.json<{ detail: string }>().detail).toContain('The 50 emails of this request are more');
    expect([(await idsOf(send(THREE))).length, await count('emails')]).toEqual([4, 54]);
    await limit(3);
    expect(problemIn(await send(THREE, 'new'))).toEqual([429, 'too_many_emails']);
  });

  test('is counted by the transaction as well, of which two at once can be within the limit', async () => {
    await send();
    await limit(10);
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 429, 429]);
    expect(await count('emails')).toBe(8);
  });

  test('bounces for those that are suppressed, and leaves for the others', async () => {
    for (const address of ['bob%40recipient.test', 'dee%40other.test']) await api.put(`/suppressions/${address}`, {});
    const ids = await idsOf(send());
    const { recipients = [] } = await get(ids[0] ?? '');
    expect(recipients.map(({ status }) => status)).toEqual(['queued', 'bounced', 'queued', 'bounced']);
    expect(await get(ids[1] ?? '')).toMatchObject({ bounce: { category: 'suppressed' } });
    const events = (await api.get('/events')).json<{ data: { data: { id: string } }[] }>().data;
    expect(events.map(({ data }) => data.id)).toEqual([ids[1], ids[3]]);
    expect(JSON.stringify(events)).not.toContain('ada@');
  });

  test('can be cancelled for one of them', async () => {
    const ids = await idsOf(send({ scheduled_at: '2026-03-02T12:00:00Z' }));
    await api.post(`/emails/${String(ids[2])}/cancel`, undefined);
    const { recipients = [] } = await get(ids[0] ?? '');
    expect(recipients.map(({ status }) => status)).toEqual(['queued', 'queued', 'bounced', 'queued']);
  });

  test('is shown to no other account', async () => {
    const ids = await idsOf(send());
    const other = await api.openAccount('globex');
    for (const id of ids) expect((await api.get(`/emails/${id}`, other)).statusCode).toBe(404);
  });
});

describe('what they share', () => {
  const finish = (ids: readonly (string | undefined)[], expiresAt: string) =>
    api.store
      .updateTable('emails')
      .set({ status: 'delivered', expires_at: expiresAt })
      .where('id', 'in', ids.map(String))
      .execute();
  const page = { before: '2026-06-01T00:00:00.000Z', after: undefined, limit: 100 };

  test('is kept until the content of the last of them is erased', async () => {
    const ids = await idsOf(send());
    await finish(ids.slice(0, 3), '2026-04-01T00:00:00.000Z');
    await removals.emailContents(api.store, page, api.clock.time);
    expect([await count('shared_contents'), (await emailContent(api.store, ids[3] ?? '')).shared_body]).toEqual([
      ...[1, 'Hello Ada.'],
    ]);
    await finish(ids.slice(3), '2026-04-01T00:00:00.000Z');
    await removals.emailContents(api.store, page, api.clock.time);
    expect(await count('shared_contents')).toBe(0);
  });

  test('leaves with them, if the retention of emails comes first, and none of them before: an erasure finds each', async () => {
    const ids = await idsOf(send());
    await finish(ids.slice(0, 3), '2026-04-01T00:00:00.000Z');
    await removals.emails(api.store, page);
    expect([await count('emails'), await count('shared_contents')]).toEqual([4, 1]);
    const erase = await api.post('/erasures', { recipient: 'bob@recipient.test' });
    expect([erase.statusCode, erase.json()]).toMatchObject([
      409,
      {
        code: 'emails_queued',
        detail:
          '1 email to other recipients of the same message is still queued, and the header names this address: recipients of GET /emails/{id}, of an email to this address, lists them. Repeat the request when all are delivered or bounced; POST /emails/{id}/cancel ends one of which no attempt has begun.',
      },
    ]);
    await finish(ids.slice(3), '2026-04-01T00:00:00.000Z');
    await removals.emails(api.store, page);
    expect([await count('emails'), await count('shared_contents')]).toEqual([0, 0]);
  });

  test('is erased with any of them, once none is queued', async () => {
    const ids = await idsOf(send({}, 'Ada@Recipient.test-and-others'));
    const erase = () => api.post('/erasures', { recipient: 'cy@other.test' });
    await finish(ids.slice(1), '2026-04-01T00:00:00.000Z');
    await api.store.updateTable('emails').set({ signed_message: 'Cc: cy@other.test' }).execute();
    const refused = await erase();
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([409, 'emails_queued']);
    await api.store.updateTable('emails').set({ status: 'queued' }).where('id', '=', String(ids[2])).execute();
    expect((await erase()).json<{ detail: string }>().detail).toMatch(
      /^1 email to this address is still queued: PUT .* 1 email to other recipients of the same message is still queued, /,
    );
    await finish(ids, '2026-04-01T00:00:00.000Z');
    expect((await erase()).json()).toMatchObject({ emails: 1, idempotency_keys: 1 });
    const everything = JSON.stringify([
      await api.store.selectFrom('emails').selectAll().execute(),
      await api.store.selectFrom('shared_contents').selectAll().execute(),
      await api.store.selectFrom('events').selectAll().execute(),
      await api.store.selectFrom('idempotency_keys').selectAll().execute(),
    ]);
    expect(everything).not.toContain('cy@other.test');
    expect(everything).toContain('bob@recipient.test');
    const repeated = async () => (await send({}, 'Ada@Recipient.test-and-others')).json<object>();
    expect(await repeated()).toMatchObject({ ids });
    const second = await api.post('/erasures', { recipient: 'bob@recipient.test' });
    expect(second.json()).toMatchObject({ emails: 1, idempotency_keys: 0 });
    expect(await repeated()).toMatchObject({ ids });
  });
});
