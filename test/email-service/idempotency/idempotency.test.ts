import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requestFingerprint } from '../../../src/email-service/idempotency/idempotency.ts';
import { erasureMarks } from '../../../src/email-service/store/erasure-marks.ts';
import { createSealer } from '../../../src/lib/sealing.ts';
import { type AccountApi, email, OPERATOR_TOKEN, startAccountApi } from '../support/test-api.ts';
import { gate } from '../../support/held-calls.ts';

const HOUR_MS = 60 * 60 * 1000;
const WEBHOOK = { url: 'https://receiver.example.com/hook', events: ['email.delivered'] };

const ANSWER_OF_THE_OTHER = {
  id: 'dom_other',
  name: 'acme.test',
  status: 'pending',
  tls: 'opportunistic',
  records: [],
  created_at: '2026-03-01T12:00:00.000Z',
  verified_at: null,
  last_checked_at: null,
  drifted_at: null,
  sends_until: null,
};

let api: AccountApi;

beforeEach(async () => {
  api = await startAccountApi();
});
afterEach(() => api.end());

const rowsIn = async (table: 'emails' | 'outbox' | 'idempotency_keys' | 'webhooks' | 'domains'): Promise<number> =>
  (await api.store.selectFrom(table).selectAll().execute()).length;

describe('an Idempotency-Key', () => {
  test('turns fifty concurrent sends into one email, one Workflow start and fifty equal responses', async () => {
    const senderId = await api.sender(api.token, 'hello@acme.test');
    await api.store.deleteFrom('outbox').execute();

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.post('/emails', email(senderId), { key: 'first-email' })),
    );

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array<number>(50).fill(202));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(49);
    expect(await rowsIn('emails')).toBe(1);
    const { id } = answers[0]?.json<{ id: string }>() ?? { id: '' };
    const outbox = await api.store.selectFrom('outbox').selectAll().execute();
    expect(outbox).toEqual([
      {
        workflow_id: `deliver-email/${id}`,
        workflow_type: 'deliverEmail',
        input: JSON.stringify({ emailId: id }),
        created_at: api.clock.time.toISOString(),
        claimed_until: null,
        not_before: null,
      },
    ]);
  });

  test('is refused for another body, and for the same body of another call', async () => {
    await api.post('/webhooks', WEBHOOK, { key: 'k' });
    const otherBody = await api.post('/webhooks', { ...WEBHOOK, events: ['email.bounced'] }, { key: 'k' });
    const otherCall = await api.post('/domains', { name: 'acme.test' }, { key: 'k' });
    expect([otherBody.statusCode, otherBody.json<{ code: string }>().code]).toEqual([422, 'idempotency_key_reused']);
    expect([otherCall.statusCode, otherCall.json<{ code: string }>().code]).toEqual([422, 'idempotency_key_reused']);
    expect([await rowsIn('webhooks'), await rowsIn('domains')]).toEqual([1, 0]);
  });

  test('is the same bare and quoted, and with the body’s fields in another order', async () => {
    const bare = await api.post('/webhooks', WEBHOOK, { key: 'a"b\\c' });
    const quoted = await api.post(
      '/webhooks',
      { events: WEBHOOK.events, url: WEBHOOK.url },
      { key: String.raw`"a\"b\\c"` },
    );
    expect(quoted.headers['idempotent-replayed']).toBe('true');
    expect(quoted.body).toBe(bare.body);
  });

  test('keeps its answer when the account uses another key', async () => {
    const first = await api.post('/webhooks', WEBHOOK, { key: 'first' });
    await api.post('/webhooks', WEBHOOK, { key: 'second' });
    const repeated = await api.post('/webhooks', WEBHOOK, { key: 'first' });
    expect(repeated.headers['idempotent-replayed']).toBe('true');
    expect(repeated.body).toBe(first.body);
  });

  test('belongs to one account: another account may use the same key', async () => {
    const other = await api.openAccount('globex');
    const mine = await api.post('/webhooks', WEBHOOK, { key: 'k' });
    const theirs = await api.post('/webhooks', WEBHOOK, { token: other, key: 'k' });
    expect(theirs.statusCode).toBe(201);
    expect(theirs.headers['idempotent-replayed']).toBeUndefined();
    expect(theirs.json<{ id: string }>().id).not.toBe(mine.json<{ id: string }>().id);
  });

  test('stays unused after a refusal, so that the same request succeeds once the cause is fixed', async () => {
    const { id } = (await api.post('/domains', { name: 'acme.test' })).json<{ id: string }>();
    const sender = { from_address: 'hello@acme.test' };
    const refused = await api.post('/senders', sender, { key: 'sender' });
    expect(refused.json<{ code: string }>().code).toBe('domain_not_verified');
    expect(await rowsIn('idempotency_keys')).toBe(0);

    await api.store.updateTable('domains').set({ status: 'verified' }).where('id', '=', id).execute();
    expect((await api.post('/senders', sender, { key: 'sender' })).statusCode).toBe(201);
  });

  test('stays unused after a failure in the middle of the transaction, which is rolled back', async () => {
    const senderId = await api.sender(api.token, 'hello@acme.test');
    await api.store.schema.alterTable('outbox').renameTo('outbox_away').execute();
    const failed = await api.post('/emails', email(senderId), { key: 'k' });
    expect(failed.statusCode).toBe(500);
    expect([await rowsIn('emails'), await rowsIn('idempotency_keys')]).toEqual([0, 0]);

    await api.store.schema.alterTable('outbox_away').renameTo('outbox').execute();
    const again = await api.post('/emails', email(senderId), { key: 'k' });
    expect(again.statusCode).toBe(202);
    expect(again.headers['idempotent-replayed']).toBeUndefined();
  });
});

test('the hash of a request is keyed, so that a reader of only the database cannot test guesses of an address', async () => {
  const body = { addresses: ['ada@recipient.test'] };
  const first = await api.post('/suppressions', body, { key: 'import' });
  const { fingerprint } = await api.store
    .selectFrom('idempotency_keys')
    .select('fingerprint')
    .where('key', '=', 'import')
    .executeTakeFirstOrThrow();
  expect(fingerprint).not.toBe(requestFingerprint('POST', '/suppressions', body));
  await api.post('/erasures', { recipient: 'ada@recipient.test' });
  const repeated = await api.post('/suppressions', body, { key: 'import' });
  expect([repeated.json(), repeated.headers['idempotent-replayed']]).toEqual([first.json(), 'true']);
});

describe('a key that another process has claimed meanwhile', () => {
  test('makes this request a replay of the other one', async () => {
    const faster = await startAccountApi({
      generateDkimKey: async () => {
        // Written after this request read the key and before its transaction.
        await faster.store
          .insertInto('idempotency_keys')
          .values(await rowOfTheOther())
          .execute();
        return { privateKey: 'a private key', publicKey: 'cHVibGlj' };
      },
    });
    const rowOfTheOther = async () => {
      const account = await faster.store.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
      const fingerprint = requestFingerprint('POST', '/domains', { name: 'acme.test' });
      return {
        owner: account.id,
        key: 'k',
        fingerprint: erasureMarks(faster.sealer, account).keyed('fingerprint', fingerprint),
        response_status: 201,
        response_body: JSON.stringify(ANSWER_OF_THE_OTHER),
        created_at: faster.clock.time.toISOString(),
      };
    };
    try {
      const answer = await faster.post('/domains', { name: 'acme.test' }, { key: 'k' });
      expect([answer.statusCode, answer.headers['idempotent-replayed']]).toEqual([201, 'true']);
      expect(answer.json()).toEqual(ANSWER_OF_THE_OTHER);
      expect(await faster.store.selectFrom('domains').selectAll().execute()).toEqual([]);
      expect(await faster.store.selectFrom('outbox').selectAll().execute()).toEqual([]);
    } finally {
      await faster.end();
    }
  });
});

describe('a request whose repeat is still in progress', () => {
  test('is answered 409 with Retry-After if the other takes too long, and gets its response afterwards', async () => {
    const { opened: mayGoOn, open: goOn } = gate();
    const { opened: underWay, open: reached } = gate();
    const slow = await startAccountApi({
      idempotencyWaitMs: 20,
      generateDkimKey: async () => {
        reached();
        await mayGoOn;
        return { privateKey: 'a private key', publicKey: 'cHVibGlj' };
      },
    });
    try {
      const first = slow.post('/domains', { name: 'acme.test' }, { key: 'k' });
      await underWay;
      const twin = await slow.post('/domains', { name: 'acme.test' }, { key: 'k' });
      expect(twin.statusCode).toBe(409);
      expect(twin.json()).toMatchObject({ code: 'idempotency_in_progress' });
      expect(twin.headers['retry-after']).toBe('1');

      goOn();
      const answered = await first;
      const replayed = await slow.post('/domains', { name: 'acme.test' }, { key: 'k' });
      expect(answered.statusCode).toBe(201);
      expect(replayed.body).toBe(answered.body);
    } finally {
      goOn();
      await slow.end();
    }
  });
});

describe('a secret that is shown once', () => {
  const calls = [
    { path: '/api-keys', body: { account: 'initech' }, field: 'token', by: () => OPERATOR_TOKEN },
    { path: '/webhooks', body: WEBHOOK, field: 'signing_secret', by: () => api.token },
  ];

  test.each(calls)(
    'is replayed for 24 hours by $path, and then said to be unavailable',
    async ({ path, body, field, by }) => {
      const first = (await api.post(path, body, { token: by(), key: 'k' })).json<Record<string, string>>();
      expect(first[field]).toMatch(/^(?:so_live_|whsec_)/);

      api.clock.time = new Date(api.clock.time.getTime() + 24 * HOUR_MS - 1);
      const inTime = await api.post(path, body, { token: by(), key: 'k' });
      expect(inTime.json()).toEqual(first);

      api.clock.time = new Date(api.clock.time.getTime() + 1);
      const rest = Object.fromEntries(Object.entries(first).filter(([name]) => name !== field));
      const late = await api.post(path, body, { token: by(), key: 'k' });
      expect(late.statusCode).toBe(201);
      expect(late.json()).toEqual({ ...rest, secret_unavailable: true });
    },
  );

  test('is unavailable, without losing other fields, after the encryption key was replaced', async () => {
    const first = (await api.post('/webhooks', WEBHOOK, { key: 'k' })).json<{ id: string }>();
    const { sealed_secret: sealed } = await api.store
      .selectFrom('idempotency_keys')
      .select('sealed_secret')
      .executeTakeFirstOrThrow();
    const resealed = createSealer([Buffer.alloc(32, 7)]).seal('{"signing_secret":"x"}', 'elsewhere');
    expect(sealed).toMatch(/^v1\./);
    await api.store.updateTable('idempotency_keys').set({ sealed_secret: resealed }).execute();
    const replayed = await api.post('/webhooks', WEBHOOK, { key: 'k' });
    expect(replayed.json()).toMatchObject({ id: first.id, secret_unavailable: true });
  });
});
