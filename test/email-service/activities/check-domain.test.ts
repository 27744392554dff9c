import { ApplicationFailureCategory } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { domainZone, worldZones } from '../../../src/dev/world/world-zones.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import { asActivity } from '../../../src/email-service/activities/attempt-context.ts';
import { createCheckDomain } from '../../../src/email-service/activities/check-domain.ts';
import { generateDkimKeyPair } from '../../../src/email-service/domains/dkim-key-pair.ts';
import { newDkimKey } from '../../../src/email-service/domains/new-domain.ts';
import { inTransaction } from '../../../src/lib/sql/transactions.ts';
import { addNextDkimKey } from '../../../src/email-service/store/domains.ts';
import type { DomainRecord } from '../../../src/email-service/resources/domain.ts';
import { verifyDomainStart } from '../../../src/email-service/store/outbox.ts';
import { failureOf } from '../../support/failure-of.ts';
import { expectDescribedEvents } from '../support/expect-described-events.ts';
import { processParts } from '../support/process-parts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const HOUR_MS = 3_600_000;

let prepared: TestStore;
let dns: DnsServer;
/** Short only once the name servers are silent. */
let timeoutMs: number;
const silence = async (): Promise<void> => {
  await dns.stop();
  dns = { ...dns, stop: async () => undefined };
  timeoutMs = 20;
};
beforeEach(async () => {
  timeoutMs = 5_000;
  prepared = await openTestStore();
  now = new Date('2026-11-21T12:00:00Z');
  dns = await startDnsServer({ zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }) });
});
afterEach(async () => {
  await dns.stop();
  await expectDescribedEvents(prepared);
  await prepared.end();
});

const rotate = async () => {
  const { store, sealer, domainId } = prepared;
  const { name } = await domain();
  const parts = { sealer, generateDkimKey: generateDkimKeyPair, findZones: async () => new Map(), now: () => now };
  const key = await newDkimKey(parts, { id: domainId, name });
  return inTransaction(store, (transaction) => addNextDkimKey(transaction, { domainId, key, now, claimed: false }));
};

/** The clock of the checks. */
let now: Date;
const later = (hours: number): void => void (now = new Date(now.getTime() + hours * HOUR_MS));

interface Look {
  readonly waitedMs?: number;
  readonly domainId?: string;
  /** What happens before the name servers are asked, and after it. */
  readonly before?: () => Promise<unknown>;
  readonly after?: () => Promise<unknown>;
}

function look({ waitedMs = 0, domainId = prepared.domainId, before, after }: Look = {}) {
  const resolver = createAuthoritativeResolver({
    mayAsk: () => true,
    resolvers: [dns.address],
    port: dns.port,
    timeoutMs,
  });
  const activity = asActivity(
    createCheckDomain({
      ...processParts(prepared),
      checkRecords: async (name, expected) => {
        await before?.();
        const check = await checkRecords(resolver, name, expected);
        await after?.();
        return check;
      },
      now: () => now,
    }),
  );
  const scheduledTimestampMs = 1_000_000;
  const times = { scheduledTimestampMs, currentAttemptScheduledTimestampMs: scheduledTimestampMs + waitedMs };
  return new MockActivityEnvironment(times).run(activity, { domainId });
}

const domain = async () => {
  const row = await prepared.store.selectFrom('domains').selectAll().executeTakeFirstOrThrow();
  return { ...row, records: JSON.parse(row.records) as DomainRecord[] };
};

async function publish(only: (record: DomainRecord) => boolean = () => true) {
  dns.publish((await domain()).records.filter(only).map(({ name, type, value }) => ({ name, type, value })));
}

describe('a check of a domain', () => {
  test('that finds nothing reports what is missing, and is repeated after five seconds', async () => {
    const failure = await failureOf(look());
    expect(failure).toMatchObject({
      type: 'DomainNotVerified',
      category: ApplicationFailureCategory.BENIGN,
      message: expect.stringContaining('k1._domainkey.acme.test'),
      stack: '',
    });
    expect(Number(failure.nextRetryDelay)).toBeGreaterThanOrEqual(4_500);
    expect(Number(failure.nextRetryDelay)).toBeLessThanOrEqual(5_500);
    const { status, records, last_checked_at, verified_at } = await domain();
    expect({ status, verified_at, last_checked_at }).toEqual({
      status: 'pending',
      verified_at: null,
      last_checked_at: '2026-11-21T12:00:00.000Z',
    });
    expect(records.find(({ purpose }) => purpose === 'dkim')).toMatchObject({
      status: 'missing',
      checked_at: '2026-11-21T12:00:00.000Z',
      host: 'k1._domainkey',
      findings: [{ code: 'not_published' }],
    });
  });

  test('asks first where the check before has found a misspelt host, because it asks few questions so soon', async () => {
    const dkim = (await domain()).records.find(({ purpose }) => purpose === 'dkim')!;
    const mistyped = { ...dkim, name: dkim.name.replace('_domainkey', '_domainkwy') };
    dns.publish([mistyped]);
    const found = async () =>
      (await domain()).records
        .find(({ purpose }) => purpose === 'dkim')!
        .findings.map(({ code, name }) => [code, name]);
    const counts: number[] = [];
    for (let times = 0; times < 2; times += 1) {
      const before = dns.queries.length;
      await failureOf(look());
      counts.push(dns.queries.length - before);
      expect(await found()).toEqual([['host_wrong', mistyped.name]]);
    }
    expect(counts[0]).toBeGreaterThan(120);
    expect(counts[1]).toBeLessThan(120);
  });

  test('in the process that committed the domain ends or postpones the start of its Workflow', async () => {
    const row = async () => (await prepared.store.selectFrom('outbox').selectAll().execute())[0];
    await prepared.owe(verifyDomainStart(prepared.domainId), { claimed: true });
    expect((await row())?.not_before).toBeNull();
    await failureOf(look());
    const { not_before: notBefore, claimed_until: claimedUntil } = (await row()) ?? {};
    expect(notBefore).toBeGreaterThan(Number(claimedUntil) - 10_000);
    await publish();
    await look();
    expect(await row()).toBeUndefined();
  });

  test('without a required record never verifies it', async () => {
    const records = (await domain()).records.map((record) => ({ ...record, required: false }));
    await publish();
    await prepared.store
      .updateTable('domains')
      .set({ records: JSON.stringify(records) })
      .execute();
    expect(await failureOf(look())).toMatchObject({ type: 'DomainNotVerified' });
    expect((await domain()).status).toBe('pending');
  });

  test('is repeated at longer intervals the longer the wait lasts', async () => {
    const failure = await failureOf(look({ waitedMs: 80 * HOUR_MS }));
    expect(Number(failure.nextRetryDelay)).toBeGreaterThanOrEqual(0.9 * HOUR_MS);
  });

  test('shows which records it found', async () => {
    await publish(({ purpose }) => purpose === 'spf');
    await failureOf(look());
    const { records } = await domain();
    expect(Object.fromEntries(records.map(({ purpose, status }) => [purpose, status]))).toEqual({
      dkim: 'missing',
      spf: 'found',
      return_path: 'missing',
      dmarc: 'missing',
    });
  });

  test('that was overtaken by a newer one changes nothing, and is repeated unless that one settled the domain', async () => {
    const overtaken = (by: () => Promise<unknown>) =>
      look({
        after: async () => {
          later(0.001);
          await by();
        },
      });
    // It saw an empty zone; meanwhile the records were published and seen.
    const verifies = async () => {
      await publish();
      await look();
    };
    expect(await overtaken(verifies)).toEqual({ outcome: 'verified' });
    expect(await domain()).toMatchObject({ status: 'verified', drifted_at: null });

    // It saw the records; meanwhile they were removed, and missed.
    const misses = async () => {
      for (const { name, type } of (await domain()).records) dns.withdraw(name, type);
      await failureOf(look());
    };
    expect(Number((await failureOf(overtaken(misses))).nextRetryDelay)).toBeLessThanOrEqual(5_500);
    expect(await domain()).toMatchObject({ status: 'temporary_failure' });
  });

  test('that finds all required records makes the domain verified, with one event', async () => {
    await prepared.webhook(['domain.verified']);
    await publish(({ required }) => required);
    expect(await look()).toEqual({ outcome: 'verified' });
    expect(await look()).toEqual({ outcome: 'verified' });
    expect(await domain()).toMatchObject({ status: 'verified', verified_at: '2026-11-21T12:00:00.000Z' });
    expect(await prepared.events()).toMatchObject([
      { number: 1, type: 'domain.verified', data: { id: prepared.domainId, name: 'acme.test', status: 'verified' } },
    ]);
    expect(await prepared.store.selectFrom('outbox').selectAll().execute()).toHaveLength(1);
  });

  test('follows a later delegation, and keeps it while no server answers', async () => {
    const places = async () => (await domain()).records.map(({ host, zone }) => [host, zone]);
    await failureOf(look());
    expect((await places())[1]).toEqual(['bounce', 'acme.test']);
    const servers = async () => (await domain()).records.map(({ name_servers }) => name_servers);
    expect((await servers())[1]).toEqual([{ name: 'ns1.acme.test', answered: true }]);
    dns.publish(domainZone('bounce.acme.test'));
    await failureOf(look());
    const delegated = [
      ['k1._domainkey', 'acme.test'],
      ['@', 'bounce.acme.test'],
      ['@', 'bounce.acme.test'],
      ['_dmarc', 'acme.test'],
    ];
    expect(await places()).toEqual(delegated);
    const before = await servers();
    await silence();
    await failureOf(look());
    expect(await places()).toEqual(delegated);
    expect(await servers()).toEqual(before);
  });

  test('that no server answers is inconclusive about the records', async () => {
    await silence();
    await failureOf(look());
    const { status, records } = await domain();
    expect(status).toBe('pending');
    expect(records.map((record) => record.status)).toEqual(Array(4).fill('inconclusive'));
  });

  test('of an id that the database does not have fails with what to check, and is retried', async () => {
    expect(await failureOf(look({ domainId: 'dom_unknown' }))).toMatchObject({
      type: 'UnknownId',
      message: expect.stringContaining('no domain dom_unknown'),
      nonRetryable: false,
      nextRetryDelay: 60_000,
    });
  });

  test('ends without a failure after the domain was deleted', async () => {
    await prepared.owe(verifyDomainStart(prepared.domainId), { claimed: true });
    await prepared.store.updateTable('domains').set({ deleted_at: new Date().toISOString() }).execute();
    expect(await look()).toEqual({ outcome: 'deleted' });
    expect(await prepared.store.selectFrom('outbox').selectAll().execute()).toEqual([]);
    expect((await domain()).last_checked_at).toBeNull();
  });
});

describe('a check of a verified domain', () => {
  const DKIM = 'k1._domainkey.acme.test';
  const typesOfEvents = async () => (await prepared.events()).map(({ type, data }) => [type, data['status']]);
  const dueInHours = async () => (Date.parse((await domain()).next_check_at ?? '') - now.getTime()) / HOUR_MS;
  beforeEach(async () => {
    await publish();
    await look();
  });

  test('that finds its records is repeated after a day', async () => {
    expect(await dueInHours()).toBe(24);
    later(24);
    expect(await look()).toEqual({ outcome: 'verified' });
    expect(await dueInHours()).toBe(24);
    expect(await typesOfEvents()).toEqual([['domain.verified', 'verified']]);
  });

  test('that finds a record missing gives notice of 72 hours, with what is missing', async () => {
    later(24);
    dns.withdraw(DKIM, 'TXT');
    expect(await failureOf(look())).toMatchObject({ message: expect.stringContaining(DKIM) });
    expect((await prepared.events()).at(-1)).toMatchObject({
      type: 'domain.drifted',
      data: {
        status: 'temporary_failure',
        drifted_at: '2026-11-22T12:00:00.000Z',
        sends_until: '2026-11-25T12:00:00.000Z',
        records: [{ purpose: 'dkim', status: 'missing', findings: [{ code: 'not_published' }] }, {}, {}, {}],
      },
    });
    // Also if its Workflow ends.
    expect(await dueInHours()).toBeLessThan(1.1);
  });

  test('that is repeated until the records are there recovers the domain during the notice and after it', async () => {
    dns.withdraw(DKIM, 'TXT');
    for (let hours = 0; hours < 72; hours += 24) {
      await failureOf(look());
      expect((await domain()).status).toBe('temporary_failure');
      later(24);
    }
    await publish();
    expect(await look()).toEqual({ outcome: 'verified' });
    expect(await domain()).toMatchObject({ status: 'verified', drifted_at: null, sends_until: null });
    dns.withdraw(DKIM, 'TXT');
    for (let hours = 0; hours <= 72; hours += 24) {
      await failureOf(look());
      later(24);
    }
    expect((await domain()).status).toBe('not_verified');
    later(31 * 24);
    await publish();
    expect(await look()).toEqual({ outcome: 'verified' });
    expect(await typesOfEvents()).toEqual([
      ['domain.verified', 'verified'],
      ['domain.drifted', 'temporary_failure'],
      ['domain.recovered', 'verified'],
      ['domain.drifted', 'temporary_failure'],
      ['domain.drifted', 'not_verified'],
      ['domain.recovered', 'verified'],
    ]);
  });

  test('that no server answers changes nothing, also at the end of the notice, and is repeated soon', async () => {
    await silence();
    later(24 * 30);
    await failureOf(look());
    expect(await domain()).toMatchObject({ status: 'verified', drifted_at: null });
    expect(await dueInHours()).toBeLessThan(1.1);
    await prepared.store
      .updateTable('domains')
      .set({ status: 'temporary_failure', drifted_at: '2026-12-18T12:00:00.000Z', sends_until: now.toISOString() })
      .execute();
    await failureOf(look());
    expect((await domain()).status).toBe('temporary_failure');
    expect(await typesOfEvents()).toHaveLength(1);
  });

  test('gives the same notice once if two processes check at once', async () => {
    dns.withdraw(DKIM, 'TXT');
    await Promise.all([failureOf(look()), failureOf(look()), failureOf(look())]);
    expect(await typesOfEvents()).toHaveLength(2);
  });

  test('leaves a domain that is deleted meanwhile, and its successor starts anew', async () => {
    dns.withdraw(DKIM, 'TXT');
    await failureOf(look());
    await prepared.store.updateTable('domains').set({ deleted_at: now.toISOString() }).execute();
    later(80);
    expect(await look()).toEqual({ outcome: 'deleted' });
    expect((await domain()).status).toBe('temporary_failure');
  });
});

describe('a rotation of the DKIM key', () => {
  const OLD = 'k1._domainkey.acme.test';
  const dkimRecords = async () => (await domain()).records.filter(({ purpose }) => purpose === 'dkim');
  const nextName = async () => (await dkimRecords()).at(-1)?.name ?? '';
  beforeEach(async () => {
    await publish();
    await look();
  });

  test('leaves the old key until the record of the new one is found, then keeps its record for seven days', async () => {
    await rotate();
    const { sealed_dkim_private_key: oldKey, sealed_next_dkim_private_key: newKey, ...before } = await domain();
    expect(await failureOf(look())).toMatchObject({ message: expect.stringContaining(await nextName()) });
    expect(await domain()).toMatchObject({ status: 'verified', dkim_selector: 'k1' });
    expect(await dkimRecords()).toMatchObject([
      { name: OLD, required: true, status: 'found' },
      { name: await nextName(), required: false, status: 'missing', findings: [{ code: 'not_published' }] },
    ]);
    await publish();
    expect(await look()).toEqual({ outcome: 'verified' });
    expect(await domain()).toMatchObject({
      ...{ status: 'verified', dkim_selector: before.next_dkim_selector, sealed_dkim_private_key: newKey },
      ...{ next_dkim_selector: null, sealed_next_dkim_private_key: null },
    });
    expect(newKey).not.toBe(oldKey);
    expect(await dkimRecords()).toMatchObject([
      { name: OLD, required: false, status: 'found', remove_after: '2026-11-28T12:00:00.000Z', findings: [] },
      { name: await nextName(), required: true, status: 'found' },
    ]);
    expect(await prepared.eventTypes()).toEqual(['domain.verified', 'domain.dkim_rotated']);
    later(7 * 24);
    await look();
    expect(await dkimRecords()).toMatchObject([{ name: OLD, findings: [{ code: 'key_replaced' }] }, {}]);
    dns.withdraw(OLD, 'TXT');
    expect(await look()).toEqual({ outcome: 'verified' });
    expect(await dkimRecords()).toMatchObject([{ required: true }]);
    expect(await prepared.eventTypes()).toHaveLength(2);
  });

  test('that is requested again, or by several at once, goes on', async () => {
    const [one, other] = await Promise.all([rotate(), rotate()]);
    const third = await rotate();
    expect([one?.isNew, other?.isNew].toSorted()).toEqual([false, true]);
    expect(third?.isNew).toBe(false);
    expect(await dkimRecords()).toHaveLength(2);
    await publish();
    await look();
    expect((await rotate())?.isNew).toBe(true);
    expect(await dkimRecords()).toHaveLength(3);
    await publish();
    await look();
    expect((await dkimRecords()).map(({ required, remove_after: after }) => [required, after !== undefined])).toEqual([
      [false, true],
      [false, true],
      [true, false],
    ]);
  });

  test('recovers a domain whose key was revoked', async () => {
    dns.withdraw(OLD, 'TXT');
    dns.publish([{ name: OLD, type: 'TXT', value: 'v=DKIM1; p=' }]);
    await failureOf(look());
    expect((await domain()).status).toBe('temporary_failure');
    await rotate();
    await publish(({ name }) => name !== OLD);
    expect(await look()).toEqual({ outcome: 'verified' });
    expect(await prepared.eventTypes()).toEqual([
      'domain.verified',
      'domain.drifted',
      'domain.dkim_rotated',
      'domain.recovered',
    ]);
  });

  test('that begins during a check is not lost', async () => {
    const check = failureOf(look({ before: rotate }));
    await check;
    expect(await dkimRecords()).toHaveLength(2);
    await publish();
    await look();
    expect(await prepared.eventTypes()).toContain('domain.dkim_rotated');
  });

  test('ends with the deletion of the domain', async () => {
    await rotate();
    await prepared.store.updateTable('domains').set({ deleted_at: now.toISOString() }).execute();
    await publish();
    expect(await look()).toEqual({ outcome: 'deleted' });
    expect(await rotate()).toBeUndefined();
    expect((await domain()).dkim_selector).toBe('k1');
  });
});
