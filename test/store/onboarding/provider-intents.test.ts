import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeOnce } from '../../../src/activities/onboarding/make-once.ts';
import { ProviderError, ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { createSqlProviderIntents, type ProviderIntents } from '../../../src/store/onboarding/provider-intents.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
let intents: ProviderIntents;
beforeAll(async () => {
  opened = await openTestRegister();
  ({ intents } = opened);
});
afterAll(async () => opened.end());

test('of many releases of one email at once, one wins, and the next attempt has a note of its own', async () => {
  const key = { provider: 'postmark', kind: 'email', subject: 'the-first-email' } as const;
  const first = { tenantId: 'acme', attemptId: 'run-1', notedAt: '2026-11-01T00:00:00.000Z', intentId: 'intent' };
  const released = { by: 'ops', reason: 'Not in the activity.', at: '2026-11-02T00:00:00.000Z' };
  const release = (notedAt: string) => intents.release({ provider: 'postmark', tenantId: 'acme', notedAt }, released);
  expect((await intents.note(key, first)).isNew).toBe(true);
  const results = await Promise.all(Array.from({ length: 8 }, () => release(first.notedAt)));
  expect(results.sort()).toEqual([...Array<string>(7).fill('none'), 'released']);
  expect(await intents.releases([first])).toEqual(new Map([['acme', released]]));
  expect(
    await intents.releases([
      { ...first, tenantId: 'other' },
      { ...first, notedAt: '2026-11-09T00:00:00.000Z' },
    ]),
  ).toEqual(new Map());

  const second = { ...first, attemptId: 'run-2', notedAt: '2026-11-03T00:00:00.000Z' };
  expect(await intents.note(key, second)).toMatchObject({ attemptId: 'run-2', isNew: true });
  expect(await release(first.notedAt)).toBe('none');
  await intents.setMade(key, { resourceId: 'email', attemptId: 'run-2' });
  expect(await release(second.notedAt)).toBe('none');
});

test('a note gives way to one that replaces it, unless it is of another tenant', async () => {
  const key = { provider: 'ses', kind: 'sender', subject: 'the-sender' } as const;
  const first = { tenantId: 'acme', attemptId: 'run-1', notedAt: '2026-11-01T00:00:00.000Z' };
  const second = { ...first, attemptId: 'run-2', notedAt: '2026-11-02T00:00:00.000Z', replaces: true } as const;
  expect(await intents.note(key, { ...first, replaces: true })).toMatchObject({ attemptId: 'run-1', isNew: true });
  await intents.setMade(key, { resourceId: 'made', attemptId: 'run-1' });
  const standing = { attemptId: 'run-1', resourceId: 'made', isNew: false };
  expect(await intents.note(key, { ...second, tenantId: 'other' })).toMatchObject(standing);
  expect(await intents.note(key, { ...first, attemptId: 'run-2' })).toMatchObject(standing);
  expect(await intents.note(key, second)).toMatchObject({ attemptId: 'run-2', resourceId: null, isNew: false });
});

test('a creation costs two writing statements, each a transaction: the note before the request, and what the answer says', async () => {
  const writes: string[] = [];
  const counted = opened.database.withPlugin({
    transformQuery({ node }) {
      if (node.kind !== 'SelectQueryNode') writes.push(node.kind);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const made = await make('counted', async () => ({ id: 'd-1' }), { intents: createSqlProviderIntents(counted) });
  expect(made).toEqual({ resource: { id: 'd-1' }, adopted: false });
  expect(writes).toEqual(['InsertQueryNode', 'UpdateQueryNode']);
});

const domainOf = (subject: string) => ({ provider: 'resend', kind: 'domain', subject }) as const;

/** Makes the domain of a tenant once. @param options.of the tenant whose domain it is; `found`: what a look shows */
const make = (
  tenantId: string,
  create: () => Promise<{ id: string }>,
  {
    of = tenantId,
    found,
    intents: at = intents,
  }: { readonly of?: string; readonly found?: { id: string }; readonly intents?: ProviderIntents } = {},
) =>
  new MockActivityEnvironment().run(() =>
    makeOnce(at, domainOf(of), { step: { tenantId, attemptId: '1' }, find: async () => found, create }),
  );

const refuse = () =>
  Promise.reject(new ProviderError('POST /domains', { meaning: 'refused', mayHaveActed: false, httpStatus: 422 }));

test('two tenants that look for the same domain at once create it once', async () => {
  let created = 0;
  const create = async () => ({ id: `d${++created}` });
  const ends = await Promise.allSettled(['a', 'b'].map((tenantId) => make(tenantId, create, { of: 'shared' })));
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(created).toBe(1);
  expect(await intents.get(domainOf('shared'))).toMatchObject({ resourceId: 'd1' });
});

test('a refusal does not forget that an earlier request may have created the domain', async () => {
  const timeOut = () => Promise.reject(new ProviderUnreachable('POST /domains', 'a time-out'));
  await expect(make('late', timeOut)).rejects.toThrow();
  await expect(make('late', refuse)).rejects.toThrow();
  expect(await make('late', refuse, { found: { id: 'd1' } })).toEqual({ resource: { id: 'd1' }, adopted: false });
});

test('a refusal of the only request leaves no note, so that another tenant can use the domain', async () => {
  await expect(make('refused', refuse)).rejects.toThrow();
  expect(await intents.get(domainOf('refused'))).toBeUndefined();
});
