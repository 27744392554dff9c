import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAccount } from '../../../../src/email-service/store/api-keys.ts';
import { erasureMarks } from '../../../../src/email-service/store/erasure-marks.ts';
import { addSuppressions } from '../../../../src/email-service/store/suppressions.ts';
import { type AccountApi, email, startAccountApi } from '../../support/test-api.ts';

let api: AccountApi;
beforeEach(async () => {
  api = await startAccountApi();
});
afterEach(() => api.end());

const NOW = '2026-03-01T12:00:00.000Z';
const put = (address: string, body: object = {}, credential = api.token) =>
  api.put(`/suppressions/${encodeURIComponent(address)}`, body, credential);
const listed = async (credential = api.token) =>
  (await api.get('/suppressions', credential))
    .json<{ data: { address: string }[] }>()
    .data.map(({ address }) => address);

describe('the suppression list', () => {
  test('keeps an address in lower case with its first reason until it is deleted', async () => {
    const first = await put('Ada@Recipient.test', { reason: 'Asked by phone.' });
    expect(first.statusCode).toBe(200);
    expect(first.json()).toEqual({
      id: expect.stringMatching(/^sup_[0-9a-z]{26}$/) as string,
      address: 'ada@recipient.test',
      cause: 'manual',
      reason: 'Asked by phone.',
      email_id: null,
      created_at: NOW,
    });
    expect((await put('ada@recipient.test', { reason: 'Again.' })).json()).toEqual(first.json());
    expect((await api.get('/suppressions/ADA%40recipient.test')).json()).toEqual(first.json());
    expect(await listed()).toEqual(['ada@recipient.test']);
    expect((await api.delete('/suppressions/ada%40recipient.test')).statusCode).toBe(204);
    const missing = await api.delete('/suppressions/ada%40recipient.test');
    expect([missing.statusCode, missing.json<{ code: string }>().code]).toEqual([404, 'not_found']);
    expect((await api.get('/suppressions/ada%40recipient.test')).statusCode).toBe(404);
  });

  test('is imported whole or not at all, once per Idempotency-Key', async () => {
    await put('b@x.test');
    const refused = await api.post('/suppressions', { addresses: ['a@x.test', 'no address'] });
    expect([refused.statusCode, refused.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer]).toEqual([
      422,
      '/addresses/1',
    ]);
    const body = { addresses: ['a@x.test', 'A@x.test', 'b@x.test'] };
    const answer = await api.post('/suppressions', body, { key: 'import-1' });
    expect([answer.statusCode, answer.json()]).toEqual([201, { added: 1, already_suppressed: 1 }]);
    const repeated = await api.post('/suppressions', body, { key: 'import-1' });
    expect(repeated.json()).toEqual(answer.json());
    expect(await listed()).toEqual(['b@x.test', 'a@x.test']);
    const thousand = Array.from({ length: 1000 }, (_, index) => `${String(index)}@many.test`);
    expect((await api.post('/suppressions', { addresses: thousand })).json()).toMatchObject({ added: 1000 });
    expect((await api.post('/suppressions', { addresses: [...thousand, 'z@x.test'] })).statusCode).toBe(422);
  });

  test('knows an address with the final dot of its domain as the one without', async () => {
    const sender = await api.sender(api.token, 'hello@acme.test');
    expect((await put('ada@recipient.test.')).json()).toMatchObject({ address: 'ada@recipient.test' });
    expect((await api.get('/suppressions/ada%40recipient.test.')).statusCode).toBe(200);
    const request = email(sender, { recipient: 'Ada@Recipient.test.' });
    await api.post('/emails', request, { key: '1' });
    const { data } = (await api.get('/emails?recipient=ada%40recipient.test.')).json<{ data: object[] }>();
    expect(data).toMatchObject([{ recipient: 'Ada@recipient.test', status: 'bounced' }]);
    const two = await api.post('/emails', email(sender, { recipient: 'ada@recipient.test..' }), { key: '2' });
    expect(two.statusCode).toBe(422);
  });

  test('belongs to one account', async () => {
    const other = await api.openAccount('globex');
    await put('ada@recipient.test');
    expect(await listed(other)).toEqual([]);
    expect((await api.get('/suppressions/ada%40recipient.test', other)).statusCode).toBe(404);
    expect((await api.delete('/suppressions/ada%40recipient.test', other)).statusCode).toBe(404);
    const sender = await api.sender(other, 'hello@globex.test');
    const { id } = (await api.post('/emails', email(sender), { token: other, key: '1' })).json<{ id: string }>();
    expect((await api.get(`/emails/${id}`, other)).json()).toMatchObject({ status: 'queued' });
  });

  test('is open only to keys with the scope manage', async () => {
    const reader = await api.keyWith({ scopes: ['send', 'read'] });
    expect((await put('ada@recipient.test', {}, reader)).statusCode).toBe(403);
    await put('ada@recipient.test');
    expect((await api.delete('/suppressions/ada%40recipient.test', reader)).statusCode).toBe(403);
    expect((await api.get('/suppressions', reader)).statusCode).toBe(403);
    expect((await api.get('/suppressions/ada%40recipient.test', reader)).statusCode).toBe(403);
    expect(await listed()).toEqual(['ada@recipient.test']);
  });
});

describe('an email to a suppressed address', () => {
  test('is accepted and bounces at once, with the date and reason, and nothing is begun', async () => {
    const sender = await api.sender(api.token, 'hello@acme.test');
    await put('ada@recipient.test', { reason: 'Asked by phone.' });
    const begun = api.asked.length;
    const request = email(sender, { recipient: 'Ada@recipient.test' });
    const answer = await api.post('/emails', request, { key: '1' });
    const { id } = answer.json<{ id: string }>();
    expect([answer.statusCode, answer.json()]).toEqual([202, { id, status: 'queued' }]);
    const shown = (await api.get(`/emails/${id}`)).json<object>();
    expect(shown).toMatchObject({
      status: 'bounced',
      attempts: [],
      bounce: {
        category: 'suppressed',
        permanent: true,
        permanent_for: 'address',
        attempt: null,
        reason: `The address has been on the suppression list since ${NOW}, so nothing was sent. Asked by phone.`,
      },
    });
    const { data: events } = (await api.get('/events')).json<{ data: { type: string; data: object }[] }>();
    expect(events).toMatchObject([{ type: 'email.bounced', data: shown }]);
    expect(api.asked).toHaveLength(begun);
    expect(
      await api.store.selectFrom('outbox').select('workflow_id').where('workflow_type', '=', 'deliverEmail').execute(),
    ).toEqual([]);
    expect((await api.post('/emails', request, { key: '1' })).json()).toEqual({ id, status: 'queued' });
    expect((await api.get('/events')).json<{ data: object[] }>().data).toHaveLength(1);
  });

  test('is sent with an override, which needs the scope manage and is kept', async () => {
    const sender = await api.sender(api.token, 'hello@acme.test');
    await put('ada@recipient.test');
    const request = email(sender, { suppression_override: 'Mailbox repaired, ticket 7.' });
    const refused = await api.post('/emails', request, {
      token: await api.keyWith({ scopes: ['send', 'read'] }),
      key: '1',
    });
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([403, 'insufficient_scope']);
    const { id } = (await api.post('/emails', request, { key: '2' })).json<{ id: string }>();
    expect((await api.get(`/emails/${id}`)).json()).toMatchObject({
      status: 'queued',
      suppression_override: 'Mailbox repaired, ticket 7.',
    });
    expect(api.asked.at(-1)).toBe(`begin deliver-email/${id}`);
  });

  test('is sent again after the address was deleted from the list', async () => {
    const sender = await api.sender(api.token, 'hello@acme.test');
    await put('ada@recipient.test');
    await api.delete('/suppressions/ada%40recipient.test');
    const { id } = (await api.post('/emails', email(sender), { key: '1' })).json<{ id: string }>();
    expect((await api.get(`/emails/${id}`)).json()).toMatchObject({ status: 'queued' });
  });
});

test('two bounces at once suppress an address once', async () => {
  const { id: accountId } = await api.store.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const why = { cause: 'bounce', reason: 'No such mailbox.', email_id: 'eml_1', now: new Date(NOW) } as const;
  const marks = erasureMarks(api.sealer, await readAccount(api.store, accountId));
  const added = await Promise.all(
    Array.from({ length: 5 }, () =>
      api.store
        .transaction()
        .execute((transaction) => addSuppressions(transaction, accountId, ['a@x.test'], why, marks)),
    ),
  );
  expect(added.flat()).toHaveLength(1);
});
