import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import { beginAttempt } from '../../../src/email-service/store/delivery-attempts.ts';
import { recordEvent } from '../../../src/email-service/store/events.ts';
import { removals } from '../../../src/email-service/store/expired-rows.ts';
import type { Store } from '../../../src/email-service/store/open-store.ts';
import { mtaStsPolicies } from '../../../src/email-service/store/mta-sts-policies.ts';
import { recordPost } from '../../../src/email-service/store/webhook-deliveries.ts';
import type { PagePosition, PageToRemove, RemovedPage } from '../../../src/lib/retention/remove-expired.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const BEFORE = '2026-06-01T00:00:00.000Z';
const OLD = '2026-05-31T23:59:59.999Z';
const now = new Date('2026-11-22T12:00:00.000Z');

let prepared: TestStore;
beforeEach(async () => {
  prepared = await openTestStore();
});
afterEach(() => prepared.end());

/** All pages of two rows. @returns how many rows were removed */
async function removeAll(
  removePage: (store: Store, page: PageToRemove, now: Date) => Promise<RemovedPage>,
): Promise<number> {
  let removed = 0;
  for (let after: PagePosition | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await removePage(prepared.store, { before: BEFORE, after, limit: 2 }, now);
    removed += page.removed;
    after = page.next;
  }
  return removed;
}

const idsIn = async (table: 'api_keys' | 'domains' | 'emails' | 'events' | 'senders' | 'webhooks'): Promise<string[]> =>
  (await prepared.store.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id);

const final = { status: 'delivered', delivered_at: OLD } as const;

async function senderOf(domainId: string, deletedAt: string | null): Promise<string> {
  const id = newId('snd');
  await prepared.store
    .insertInto('senders')
    .values({
      id,
      account_id: prepared.accountId,
      domain_id: domainId,
      from_address: `${id}@acme.test`,
      name: null,
      created_at: OLD,
      deleted_at: deletedAt,
    })
    .execute();
  return id;
}

async function keyOf(key: string, createdAt: string, emailId: string | null): Promise<void> {
  await prepared.store
    .insertInto('idempotency_keys')
    .values({
      owner: prepared.accountId,
      key,
      fingerprint: 'f',
      response_status: 202,
      response_body: JSON.stringify({ id: emailId ?? 'snd_1', status: 'queued' }),
      created_at: createdAt,
      email_id: emailId,
    })
    .execute();
}

const keys = async (): Promise<string[]> =>
  (await prepared.store.selectFrom('idempotency_keys').select('key').orderBy('key').execute()).map(({ key }) => key);

async function event(at: string): Promise<string> {
  const { accountId } = prepared;
  const type = 'email.delivered';
  return prepared.store.transaction().execute(async (transaction) => {
    const about = { accountId, type, resource: { id: 'eml_1' } } as const;
    const recorded = await recordEvent(transaction, { ...about, now: new Date(at), claimed: false });
    return recorded.eventId;
  });
}

const endPost = (eventId: string, webhookId: string, status: 'delivered' | 'failed' = 'delivered') =>
  recordPost(prepared.store, { eventId, webhookId, status, statusCode: 200, error: null, disable: false, now });

describe('the content of emails', () => {
  test('is erased once the email is final and old; the email stays as it was', async () => {
    const sent = { html: '<p>Hello</p>', headers: '{"X-Order":"7"}', signed_message: 'From: …' };
    const old: string[] = [];
    for (let n = 0; n < 5; n += 1) old.push(await prepared.email({ ...final, ...sent, expires_at: OLD }));
    const queued = await prepared.email({ ...sent, expires_at: OLD });
    const young = await prepared.email({ ...final, ...sent, expires_at: BEFORE });
    const rows = () => prepared.store.selectFrom('emails').selectAll().orderBy('id').execute();
    const before = await rows();

    expect(await removeAll(removals.emailContents)).toBe(5);
    const erased = { body: '', html: null, headers: '{}', signed_message: null, content_erased_at: now.toISOString() };
    expect(await rows()).toEqual(before.map((row) => (old.includes(row.id) ? { ...row, ...erased } : row)));
    expect(before.filter(({ id }) => !old.includes(id)).map(({ id }) => id)).toEqual([queued, young]);
    expect(await removeAll(removals.emailContents)).toBe(0);
  });
});

describe('emails', () => {
  test('leave with their attempts and tags; those that are queued or young stay', async () => {
    const stay = [await prepared.email({ expires_at: OLD }), await prepared.email({ ...final, expires_at: BEFORE })];
    for (const id of stay) await beginAttempt(prepared.store, { emailId: id, holder: 'this', now });
    for (const status of ['delivered', 'bounced', 'bounced'] as const) {
      const id = await prepared.email({ expires_at: OLD });
      await beginAttempt(prepared.store, { emailId: id, holder: 'this', now });
      await prepared.store
        .insertInto('email_tags')
        .values({ email_id: id, tag: 'welcome', account_id: prepared.accountId })
        .execute();
      await prepared.store.updateTable('emails').set({ status }).where('id', '=', id).execute();
    }
    expect(await removeAll(removals.emails)).toBe(3);
    expect(await idsIn('emails')).toEqual(stay);
    const attempts = await prepared.store.selectFrom('delivery_attempts').select('email_id').execute();
    expect(attempts.map(({ email_id }) => email_id)).toEqual([stay[0]]);
    expect(await prepared.store.selectFrom('email_tags').selectAll().execute()).toEqual([]);
  });

  test('keep their Idempotency-Key as long as they stay, however old it is', async () => {
    const [young, old] = [
      await prepared.email({ ...final, expires_at: BEFORE }),
      await prepared.email({ ...final, expires_at: OLD }),
    ];
    await keyOf('of-young', OLD, young);
    await keyOf('of-old', OLD, old);
    await keyOf('of-old-but-young', BEFORE, old);
    await keyOf('of-another-request', OLD, null);
    await keyOf('of-young-request', BEFORE, null);

    expect(await removeAll(removals.idempotencyKeys)).toBe(1);
    expect(await keys()).toEqual(['of-old', 'of-old-but-young', 'of-young', 'of-young-request']);
    expect(await removeAll(removals.emails)).toBe(1);
    expect(await removeAll(removals.idempotencyKeys)).toBe(1);
    expect(await keys()).toEqual(['of-old-but-young', 'of-young', 'of-young-request']);
  });
});

test('Idempotency-Keys leave, also of several accounts in one moment', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) await keyOf(key, OLD, null);
  await keyOf('young', BEFORE, null);
  expect(await removeAll(removals.idempotencyKeys)).toBe(5);
  expect(await keys()).toEqual(['young']);
});

test('MTA-STS policies leave after their end', async () => {
  const policies = mtaStsPolicies(prepared.store);
  const policy = { policyId: 'a', mode: 'enforce', mx: ['*.inbox.test'], fetchedAt: new Date(OLD) } as const;
  for (const domain of ['a.test', 'b.test', 'c.test'])
    await policies.keep(domain, { ...policy, expiresAt: new Date(OLD) });
  const kept = { ...policy, expiresAt: new Date(BEFORE) };
  await policies.keep('kept.test', kept);
  expect(await removeAll(removals.mtaStsPolicies)).toBe(3);
  expect(await policies.find('a.test')).toBeUndefined();
  expect(await policies.find('kept.test')).toEqual(kept);
});

describe('events', () => {
  test('leave with their deliveries, except pending ones and the newest of the account', async () => {
    const { id: webhookId } = await prepared.webhook(['email.delivered']);
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await event(OLD));
    const [pending, ...others] = ids;
    for (const eventId of others) await endPost(eventId, webhookId, eventId === others[0] ? 'failed' : 'delivered');
    expect(await removeAll(removals.events)).toBe(4);
    expect(await idsIn('events')).toEqual([pending, ids[5]]);
    const deliveries = await prepared.store
      .selectFrom('webhook_deliveries')
      .select('event_id')
      .orderBy('event_id')
      .execute();
    expect(deliveries.map(({ event_id }) => event_id)).toEqual([pending, ids[5]]);

    const young = await event(BEFORE);
    expect(await removeAll(removals.events)).toBe(1);
    expect(await idsIn('events')).toEqual([pending, young]);
    await endPost(pending ?? '', webhookId);
    expect(await removeAll(removals.events)).toBe(1);
    expect(await idsIn('events')).toEqual([young]);
  });
});

test('the end of one delivery of an event leaves its others pending', async () => {
  const [one, other] = [await prepared.webhook(['email.delivered']), await prepared.webhook(['email.delivered'])];
  const eventId = await event(BEFORE);
  await endPost(eventId, one.id);
  const deliveries = await prepared.store.selectFrom('webhook_deliveries').select(['webhook_id', 'status']).execute();
  expect(new Map(deliveries.map(({ webhook_id, status }) => [webhook_id, status]))).toEqual(
    new Map([
      [one.id, 'delivered'],
      [other.id, 'pending'],
    ]),
  );
});

describe('what callers have deleted', () => {
  test('senders leave unless an email names them, domains unless a sender does', async () => {
    const used = await senderOf(prepared.domainId, OLD);
    const email = await prepared.email({ sender_id: used });
    const [unused, young] = [await senderOf(prepared.domainId, OLD), await senderOf(prepared.domainId, BEFORE)];
    const active = await senderOf(prepared.domainId, null);
    expect(await removeAll(removals.senders)).toBe(1);
    expect(await idsIn('senders')).not.toContain(unused);
    expect(await idsIn('senders')).toEqual(expect.arrayContaining([used, young, active]));

    await prepared.store.updateTable('domains').set({ deleted_at: OLD }).execute();
    expect(await removeAll(removals.domains)).toBe(0);
    await prepared.store.updateTable('emails').set({ status: 'delivered', expires_at: OLD }).execute();
    await prepared.store.updateTable('senders').set({ deleted_at: OLD }).execute();
    expect(await removeAll(removals.emails)).toBe(1);
    expect(await idsIn('emails')).not.toContain(email);
    expect(await removeAll(removals.senders)).toBe(4);
    expect(await removeAll(removals.domains)).toBe(1);
    expect(await idsIn('domains')).toEqual([]);
  });

  test('webhooks leave unless a delivery names them', async () => {
    const types = ['email.delivered'];
    const { id: used } = await prepared.webhook(types);
    await event(OLD);
    await prepared.store.updateTable('webhooks').set({ deleted_at: OLD }).execute();
    await prepared.webhook(types, { deleted_at: OLD });
    const { id: young } = await prepared.webhook(types, { deleted_at: BEFORE });
    const { id: active } = await prepared.webhook(types);
    expect(await removeAll(removals.webhooks)).toBe(1);
    expect(await idsIn('webhooks')).toEqual([used, young, active]);
  });

  test('revoked and expired API keys leave', async () => {
    const key = async (revokedAt: string | null, expiresAt: string | null = null): Promise<string> => {
      const id = newId('key');
      await prepared.store
        .insertInto('api_keys')
        .values({
          ...{ id, account_id: prepared.accountId, name: null, token_sha256: id, last_four: 'abcd', created_at: OLD },
          ...{ revoked_at: revokedAt, expires_at: expiresAt },
        })
        .execute();
      return id;
    };
    await key(OLD);
    await key(null, OLD);
    const stay = [await key(BEFORE), await key(null), await key(null, BEFORE)];
    expect(await removeAll(removals.apiKeys)).toBe(1);
    expect(await removeAll(removals.expiredApiKeys)).toBe(1);
    expect(await idsIn('api_keys')).toEqual(stay);
  });
});
