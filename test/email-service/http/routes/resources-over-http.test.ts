import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bounceOfReply } from '../../../../src/email-service/delivery/classify-bounce.ts';
import type { DomainResource } from '../../../../src/email-service/resources/domain.ts';
import type { DomainTable } from '../../../../src/email-service/store/schema.ts';
import { type AccountApi, email, idOf, startAccountApi, startTestApi } from '../../support/test-api.ts';

let api: AccountApi;
/** The zones that name servers report to POST /domains. */
let zones: Readonly<Record<string, string>>;

beforeEach(async () => {
  zones = {};
  api = await startAccountApi({ findZones: async () => new Map(Object.entries(zones)) });
});
afterEach(() => api.end());

const NOW = '2026-03-01T12:00:00.000Z';

describe('POST /domains', () => {
  test('answers with four records to publish, requests a check, and shows the same with GET', async () => {
    const answer = await api.post('/domains', { name: 'Mail.Acme.test' });
    const domain = answer.json<DomainResource>();
    expect(answer.statusCode).toBe(201);
    expect(domain).toMatchObject({
      id: expect.stringMatching(/^dom_[0-9a-z]{26}$/) as string,
      name: 'mail.acme.test',
      status: 'pending',
      created_at: NOW,
      verified_at: null,
      last_checked_at: null,
    });
    expect(domain.records.map(({ purpose, type, required }) => [purpose, type, required])).toEqual([
      ['dkim', 'TXT', true],
      ['spf', 'TXT', true],
      ['return_path', 'MX', false],
      ['dmarc', 'TXT', false],
    ]);
    const [dkim, ...rest] = domain.records;
    expect(dkim?.name).toMatch(/^so20260301-[0-9a-z]{4}\._domainkey\.mail\.acme\.test$/);
    expect(dkim?.value).toMatch(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{300,}=*$/);
    expect(dkim?.value_chunks.join('')).toBe(dkim?.value);
    expect(Math.max(...(dkim?.value_chunks.map((chunk) => chunk.length) ?? []))).toBe(255);
    expect(rest.map(({ name, value }) => [name, value])).toEqual([
      ['bounce.mail.acme.test', 'v=spf1 ip4:203.0.113.5 -all'],
      ['bounce.mail.acme.test', '10 mail.service.test'],
      ['_dmarc.mail.acme.test', 'v=DMARC1; p=none'],
    ]);
    expect(domain.records.map(({ status, checked_at, findings, ttl }) => [status, checked_at, findings, ttl])).toEqual(
      Array(4).fill(['unchecked', null, [], 300]),
    );
    expect((await api.get(`/domains/${domain.id}`)).json()).toEqual(domain);
    expect(await api.store.selectFrom('outbox').select(['workflow_id', 'input']).execute()).toEqual([
      { workflow_id: `verify-domain/${domain.id}`, input: JSON.stringify({ domainId: domain.id }) },
    ]);
    expect(api.asked).toEqual([`begin verify-domain/${domain.id}`]);
  });

  test('shows each record’s zone, and its host relative to that zone, in the first response', async () => {
    zones = { 'bounce.mail.acme.test': 'acme.test', '_dmarc.mail.acme.test': 'mail.acme.test' };
    const { records } = (await api.post('/domains', { name: 'mail.acme.test' })).json<DomainResource>();
    expect(records.map(({ host, zone }) => [host.replace(/^so\d+-\w+/, 'so'), zone])).toEqual([
      // No name server reported this record's zone, so its host is relative to the registered domain.
      ['so._domainkey.mail', null],
      ['bounce.mail', 'acme.test'],
      ['bounce.mail', 'acme.test'],
      ['_dmarc', 'mail.acme.test'],
    ]);
  });

  test('gives two accounts that register one name two selectors', async () => {
    const other = await api.openAccount('globex');
    const [mine, theirs] = await Promise.all(
      [api.token, other].map(async (by) =>
        (await api.post('/domains', { name: 'acme.test' }, { token: by })).json<DomainResource>(),
      ),
    );
    expect(mine?.records[0]?.name).not.toBe(theirs?.records[0]?.name);
    expect(mine?.records[1]?.value).toBe(theirs?.records[1]?.value);
  });

  test('answers 409 to the second of two requests at once, also for a sender', async () => {
    const atOnce = async (path: string, body: object) =>
      (await Promise.all([1, 2].map(() => api.post(path, body)))).map(({ statusCode }) => statusCode).sort();
    expect(await atOnce('/domains', { name: 'acme.test' })).toEqual([201, 409]);
    await api.verifiedDomain(api.token, 'globex.test');
    expect(await atOnce('/senders', { from_address: 'hello@globex.test' })).toEqual([201, 409]);
  });

  test('can be repeated after DELETE, with a new id and a new selector', async () => {
    const first = (await api.post('/domains', { name: 'acme.test' })).json<DomainResource>();
    expect((await api.delete(`/domains/${first.id}`)).statusCode).toBe(204);
    expect((await api.delete(`/domains/${first.id}`)).statusCode).toBe(404);
    expect((await api.get(`/domains/${first.id}`)).statusCode).toBe(404);
    const second = (await api.post('/domains', { name: 'acme.test' })).json<DomainResource>();
    expect(second.id).not.toBe(first.id);
    expect(second.records[0]?.name).not.toBe(first.records[0]?.name);
  });
});

describe('POST /domains/{id}/verify', () => {
  test('requests a check and answers 202 with the domain, with or without a body', async () => {
    const id = await idOf(api.post('/domains', { name: 'acme.test' }));
    const verify = (headers: object) =>
      api.inject({
        ...{ method: 'POST', url: `/domains/${id}/verify` },
        headers: { authorization: `Bearer ${api.token}`, ...headers },
      });
    const [bare, emptyJson] = [await verify({}), await verify({ 'content-type': 'application/json' })];
    expect([bare.statusCode, emptyJson.statusCode]).toEqual([202, 202]);
    expect(bare.json()).toEqual((await api.get(`/domains/${id}`)).json());
    expect(api.asked.slice(1)).toEqual([`requestDomainCheck ${id}`, `requestDomainCheck ${id}`]);
  });
});

describe('POST /senders', () => {
  test('creates a sender with its domain in lower case and its local part as given', async () => {
    const domainId = await api.verifiedDomain(api.token, 'acme.test');
    const answer = await api.post('/senders', { from_address: 'Hello@ACME.test', name: 'Åcme “Ltd”' });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toEqual({
      id: expect.stringMatching(/^snd_[0-9a-z]{26}$/) as string,
      from_address: 'Hello@acme.test',
      name: 'Åcme “Ltd”',
      domain_id: domainId,
      created_at: NOW,
    });
  });

  test('takes the display name from the address, and refuses two names', async () => {
    await api.verifiedDomain(api.token, 'acme.test');
    const post = (body: object) => api.post('/senders', body);
    const created = await post({ from_address: '"Müller, Söhne" <Hello@ACME.test>' });
    expect([created.statusCode, created.json()]).toMatchObject([
      201,
      { from_address: 'Hello@acme.test', name: 'Müller, Söhne' },
    ]);
    expect((await post({ from_address: 'Acme <a@acme.test>', name: 'Acme' })).statusCode).toBe(201);
    const duplicate = async (from_address: string) => (await post({ from_address })).json<{ detail: string }>().detail;
    expect(await duplicate('a@acme.test')).toMatch(
      /It has the display name "Acme"; to change that: PATCH \/senders\/snd_\w+\.$/,
    );
    expect(await duplicate('Acme <a@acme.test>')).toMatch(/: snd_\w+\.$/);
    for (const [body, pointer, detail] of [
      [
        { from_address: 'Acme <b@acme.test>', name: 'Other' },
        '/name',
        'Expected the same display name as in the address',
      ],
      [{ from_address: 'Acme, Inc. <b@acme.test>' }, '/from_address', 'contains , in double quotes'],
      [{ from_address: `${'x'.repeat(201)} <b@acme.test>` }, '/from_address', 'at most 200 characters; found 201.'],
    ] as const) {
      const refused = await post(body);
      expect([refused.statusCode, refused.json()]).toMatchObject([
        422,
        { code: 'validation_failed', errors: [{ pointer, detail: expect.stringContaining(detail) as string }] },
      ]);
    }
  });

  test('replaces the sender left behind by a deleted domain of the same name', async () => {
    const old = await api.sender(api.token, 'hello@acme.test');
    const { domain_id: oldDomain } = await api.store
      .selectFrom('senders')
      .select('domain_id')
      .executeTakeFirstOrThrow();
    await api.delete(`/domains/${oldDomain}`);
    const orphaned = await api.post('/emails', email(old), { key: 'k' });
    expect(orphaned.json<{ code: string }>().code).toBe('domain_not_verified');

    const fresh = await api.sender(api.token, 'hello@acme.test');
    expect(fresh).not.toBe(old);
    expect((await api.post('/emails', email(fresh), { key: 'k' })).statusCode).toBe(202);
    expect((await api.delete(`/senders/${old}`)).statusCode).toBe(404);
    expect((await api.delete(`/senders/${fresh}`)).statusCode).toBe(204);
  });
});

describe('PATCH /senders/{id}', () => {
  test('changes and removes the display name, of a sender of the account only', async () => {
    const id = await api.sender(api.token, 'hello@acme.test');
    const rename = (body: object, by = api.token) => api.patch(`/senders/${id}`, body, by);
    const named = await rename({ name: 'Müller, Söhne' });
    expect([named.statusCode, named.json()]).toMatchObject([200, { id, name: 'Müller, Söhne' }]);
    expect((await rename({ name: null })).json()).toMatchObject({ id, name: null });
    for (const [name, code] of [
      [' ', 'too_short'],
      ['x'.repeat(201), 'too_long'],
      ['a\r\nBcc: x@y.test', 'malformed'],
    ]) {
      const refused = await rename({ name });
      expect([refused.statusCode, refused.json()]).toMatchObject([422, { errors: [{ pointer: '/name', code }] }]);
    }
    expect((await rename({})).statusCode).toBe(422);
    const other = await api.openAccount('other');
    expect((await rename({ name: 'Theirs' }, other)).statusCode).toBe(404);
    await api.delete(`/senders/${id}`);
    expect((await rename({ name: 'Late' })).statusCode).toBe(404);
  });
});

describe('PATCH /domains/{id}', () => {
  test('changes which protection the emails of a domain need, of a domain of the account only', async () => {
    const { id, tls } = (await api.post('/domains', { name: 'acme.test' })).json<{
      id: string;
      tls: string;
    }>();
    expect(tls).toBe('opportunistic');
    const change = (body: object, by = api.token) => api.patch(`/domains/${id}`, body, by);
    const changed = await change({ tls: 'required' });
    expect([changed.statusCode, changed.json()]).toMatchObject([200, { id, tls: 'required' }]);
    expect((await api.get(`/domains/${id}`)).json()).toEqual(changed.json());
    for (const refused of [{ tls: 'none' }, { tls: null }, {}, { tls: 'required', name: 'other.test' }])
      expect((await change(refused)).statusCode).toBe(422);
    const other = await api.openAccount('other');
    expect((await change({ tls: 'opportunistic' }, other)).statusCode).toBe(404);
    await api.delete(`/domains/${id}`);
    expect((await change({ tls: 'opportunistic' })).statusCode).toBe(404);
  });
});

describe('POST /emails', () => {
  test('stores the whole email and answers 202 with its id', async () => {
    const senderId = await api.sender(api.token, 'hello@acme.test');
    const content = {
      html: '<p>Grüße 👋</p>',
      body: 'Grüße 👋\r\n\tund mehr',
      headers: { 'Reply-To': 'help@acme.test', 'List-Unsubscribe': '<https://acme.test/u>' },
      metadata: { order: '5', constructor: 'a name like any other' },
      tags: ['welcome', 'Grüße 👋'],
      expires_in: 3600,
    };
    const answer = await api.post('/emails', email(senderId, content), { key: 'k' });
    const { id } = answer.json<{ id: string }>();
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toEqual({ id, status: 'queued' });
    const row = await api.store.selectFrom('emails').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      sender_id: senderId,
      recipient: 'ada@recipient.test',
      subject: 'Welcome',
      body: content.body,
      html: content.html,
      headers: JSON.stringify(content.headers),
      signed_message: null,
    });
    expect((await api.get(`/emails/${id}`)).json()).toEqual({
      id,
      status: 'queued',
      sender_id: senderId,
      recipient: 'ada@recipient.test',
      subject: 'Welcome',
      message_id: `<${id}@acme.test>`,
      metadata: content.metadata,
      tags: content.tags,
      attempts: [],
      created_at: NOW,
      expires_at: '2026-03-01T13:00:00.000Z',
    });
  });

  test('shows attempts in order, and a bounce only after it happened', async () => {
    const senderId = await api.sender(api.token, 'hello@acme.test');
    const id = await idOf(api.post('/emails', email(senderId), { key: 'k' }));
    const remoteMta = 'mx.recipient.test';
    const attempt = {
      ...{ email_id: id, remote_mta: remoteMta, diagnostic: 'no such user', lease_holder: 'p1', lease_until: 0 },
      ...{ started_at: NOW, finished_at: NOW },
    };
    const refused = {
      ...attempt,
      number: 2,
      outcome: 'bounced',
      reply_code: 550,
      enhanced_status_code: '5.1.1',
    } as const;
    const deferred = { ...attempt, number: 1, outcome: 'deferred', reply_code: 451 } as const;
    await api.store.insertInto('delivery_attempts').values([refused, deferred]).execute();
    const reply = { replyCode: 550, enhancedCode: '5.1.1', text: 'no such user' };
    const bounce = bounceOfReply({ reply, command: 'RCPT TO', remoteMta, attempt: 2 });
    await api.store
      .updateTable('emails')
      .set({ status: 'bounced', bounce: JSON.stringify(bounce) })
      .execute();
    expect((await api.get(`/emails/${id}`)).json()).toMatchObject({
      status: 'bounced',
      bounce,
      attempts: [
        { number: 1, outcome: 'deferred', smtp_code: 451, enhanced_code: null },
        { number: 2, outcome: 'bounced', smtp_code: 550, enhanced_code: '5.1.1', diagnostic: 'no such user' },
      ],
    });
  });
});

describe('POST /domains', () => {
  test('refuses a reserved name, except in a closed network', async () => {
    const settings = {
      ...{ hostname: 'mail.service.test', spfMechanism: 'ip4:203.0.113.5', returnPathLabel: 'bounce' },
      ...{ allowPrivateAddresses: false, blockedNetworks: [], allowReservedNames: false },
      ...{ sendingLimits: { minute: 10, hour: 10, day: 10 }, attachmentBytesMax: 0 },
    };
    const open = await startTestApi({ settings });
    const key = await open.openAccount('acme');
    const refused = await open.post('/domains', { name: 'acme.local' }, { token: key });
    const accepted = await open.post('/domains', { name: 'acme.com' }, { token: key });
    await open.end();
    expect(refused.json()).toMatchObject({ errors: [{ pointer: '/name', code: 'reserved_name' }] });
    expect([refused.statusCode, accepted.statusCode]).toEqual([422, 201]);
    expect((await api.post('/domains', { name: 'acme.local' })).statusCode).toBe(201);
  });
});

describe('POST /webhooks', () => {
  test('shows the signing secret once and is undone by DELETE', async () => {
    const request = { url: 'https://receiver.example.com/a?b=c', events: ['email.delivered', 'email.bounced'] };
    const answer = await api.post('/webhooks', request);
    const { signing_secret: secret, ...webhook } = answer.json<Record<string, string>>();
    expect(answer.statusCode).toBe(201);
    expect(Buffer.from(secret?.replace('whsec_', '') ?? '', 'base64')).toHaveLength(32);
    expect(webhook).toEqual({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/) as string,
      ...request,
      created_at: NOW,
      disabled_at: null,
    });
    const row = await api.store.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
    expect(api.sealer.open(row.sealed_signing_secret, `webhook/${row.id}/signing-secret`)).toBe(secret);
    expect((await api.delete(`/webhooks/${row.id}`)).statusCode).toBe(204);
    expect((await api.delete(`/webhooks/${row.id}`)).statusCode).toBe(404);
  });
});

describe('GET /events', () => {
  test("pages through the account's events in order and leaves out everybody else's", async () => {
    const other = await api.openAccount('globex');
    const accounts = await api.store.selectFrom('accounts').select(['id', 'name']).execute();
    const rows = accounts.flatMap(({ id: account_id, name }) =>
      [3, 1, 2].map((number) => ({
        id: `evt_${name}_${number}`,
        account_id,
        number,
        type: 'email.delivered',
        data: JSON.stringify({ id: `eml_${number}`, nested: { kept: true } }),
        created_at: NOW,
      })),
    );
    await api.store.insertInto('events').values(rows).execute();

    const first = (await api.get('/events?limit=2')).json<{ next_cursor: string }>();
    expect(first).toEqual({
      data: [1, 2].map((n) => ({
        id: `evt_acme_${n}`,
        type: 'email.delivered',
        created_at: NOW,
        data: { id: `eml_${n}`, nested: { kept: true } },
      })),
      next_cursor: 'evt_acme_2',
    });
    const rest = (await api.get(`/events?after=${first.next_cursor}`)).json<{
      data: { id: string }[];
      next_cursor: null;
    }>();
    expect([rest.data.map(({ id }) => id), rest.next_cursor]).toEqual([['evt_acme_3'], null]);
    expect((await api.get('/events?after=evt_acme_1', other)).statusCode).toBe(422);
  });
});

describe('a domain that has lost its records', () => {
  const domainIs = (status: DomainTable['status']) => api.store.updateTable('domains').set({ status }).execute();

  test('sends and takes senders during the notice, and neither after it, until it has recovered', async () => {
    const sender = await api.sender(api.token, 'hello@acme.test');
    const send = async (key: string) => (await api.post('/emails', email(sender), { key })).json<object>();
    const create = async (address: string) => (await api.post('/senders', { from_address: address })).statusCode;
    await domainIs('temporary_failure');
    expect(await send('a')).toMatchObject({ status: 'queued' });
    expect(await create('a@acme.test')).toBe(201);
    await domainIs('not_verified');
    const { id } = await api.store.selectFrom('domains').select('id').executeTakeFirstOrThrow();
    expect(await send('b')).toMatchObject({
      ...{ status: 422, code: 'domain_not_verified' },
      detail: expect.stringContaining(`POST /domains/${id}/verify`),
    });
    expect(await create('b@acme.test')).toBe(422);
    await domainIs('verified');
    expect(await send('b')).toMatchObject({ status: 'queued' });
  });
});

describe('POST /domains/{id}/rotate-dkim', () => {
  const rotate = (id: string, key?: string, by = api.token) =>
    api.post(`/domains/${id}/rotate-dkim`, {}, { token: by, ...(key !== undefined && { key }) });
  const selectorsOf = (answer: LightMyRequestResponse): string[] =>
    answer
      .json<DomainResource>()
      .records.filter(({ purpose }) => purpose === 'dkim')
      .map(({ name }) => name);

  test('adds a record beside the old one, once for requests at once, and requests a check', async () => {
    const id = await api.verifiedDomain(api.token, 'acme.test');
    const answers = await Promise.all([rotate(id), rotate(id), rotate(id, 'k')]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
    const [first, ...others] = answers.map(selectorsOf);
    expect(first).toHaveLength(2);
    expect(others).toEqual([first, first]);
    expect((await rotate(id, 'k')).headers['idempotent-replayed']).toBe('true');
    expect(api.asked.filter((asked) => asked === `begin verify-domain/${id}`)).toHaveLength(2);
    expect(selectorsOf(await api.get(`/domains/${id}`))).toEqual(first);
  });

  test('is refused before the domain is verified, after its deletion, and to another account', async () => {
    const id = await idOf(api.post('/domains', { name: 'acme.test' }));
    expect((await rotate(id)).json()).toMatchObject({ status: 422, code: 'domain_not_verified' });
    const other = await api.openAccount('globex');
    expect((await rotate(id, undefined, other)).statusCode).toBe(404);
    await api.delete(`/domains/${id}`);
    expect((await rotate(id)).statusCode).toBe(404);
  });
});
