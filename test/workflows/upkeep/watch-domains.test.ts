import { expect, test } from 'vitest';
import { apiKeyRef, ownKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { getIssued, putIssued } from '../../../src/store/issued-secret.ts';
import { answeredWith } from '../../support/scripted-provider.ts';
import { withWatch } from '../../support/watch-environment.ts';

const missing = { code: 'not_published', purpose: 'dkim' };

test('a domain that loses a record drifts after two checks, and recovers when the record is back', () =>
  withWatch({}, async ({ onboarded, sweep, scripted, register, watchedDomains, eventTypes }) => {
    await onboarded('acme');
    await onboarded('globex');
    expect(await sweep()).toMatchObject({ intact: 2, failed: 0 });
    scripted.script.dns = (domain) => (domain === 'acme.test' ? 'missing' : 'published');
    // Both fall due within a day of the first check.
    expect(await sweep('25 hours')).toMatchObject({ intact: 1, suspected: 1 });
    expect(await eventTypes('acme')).toEqual([]);
    expect(await sweep('2 hours')).toMatchObject({ drifted: 1 });
    expect(await eventTypes('acme')).toEqual(['domain.drifted']);
    expect(await watchedDomains.get('acme')).toMatchObject({ state: 'drifted', findings: [missing] });
    expect(await register.list({ needsAttention: true, finding: 'not_published' }, { limit: 10 })).toMatchObject([
      { tenantId: 'acme', attention: { findings: [missing] } },
    ]);
    expect(await sweep('2 hours')).toMatchObject({ drifted: 1 });
    scripted.script.dns = () => 'published';
    expect(await sweep('2 hours')).toMatchObject({ recovered: 1 });
    expect(await eventTypes('acme')).toEqual(['domain.drifted', 'domain.recovered']);
    expect(await register.list({ needsAttention: true }, { limit: 10 })).toEqual([]);
    expect(await eventTypes('globex')).toEqual([]);
  }));

test('a silent name server and an unreachable provider change nothing and are shown', () => {
  let isDown = false;
  const before = (): void => {
    if (isDown) throw answeredWith('getDomain', { httpStatus: 503 });
  };
  return withWatch({ before }, async ({ onboarded, sweep, scripted, watchedDomains, eventTypes }) => {
    await onboarded('acme');
    scripted.script.dns = () => 'missing';
    expect(await sweep()).toMatchObject({ suspected: 1 });
    scripted.script.dns = () => 'inconclusive';
    expect(await sweep('2 hours')).toMatchObject({ inconclusive: 1 });
    isDown = true;
    expect(await sweep('2 hours')).toMatchObject({ inconclusive: 1 });
    expect(await watchedDomains.get('acme')).toMatchObject({
      state: 'ok',
      problem: 'GET /domains/dom_3: 503 without an error code',
    });
    isDown = false;
    scripted.script.dns = () => 'missing';
    expect(await sweep('2 hours')).toMatchObject({ drifted: 1 });
    expect(await eventTypes('acme')).toEqual(['domain.drifted']);
  });
});

test('watching ends when the provider has answered three times that the domain is gone', () => {
  let isGone = false;
  const before = (call: string): void => {
    if (isGone && call === 'getDomain') throw answeredWith('getDomain', { httpStatus: 404, code: 'not_found' });
  };
  return withWatch({ before }, async ({ onboarded, sweep, scripted, secrets, watchedDomains, register }) => {
    await onboarded('acme');
    // The backend has claimed the tenant's key.
    await secrets.delete(apiKeyRef('acme'));
    scripted.script.dns = () => 'missing';
    await sweep();
    await sweep('2 hours');
    expect(scripted.count('createApiKey')).toBe(2);
    isGone = true;
    expect(await sweep('2 hours')).toMatchObject({ suspected: 1 });
    expect(await sweep('2 hours')).toMatchObject({ suspected: 1 });
    expect(await watchedDomains.get('acme')).toMatchObject({ state: 'drifted' });
    expect(await sweep('2 hours')).toMatchObject({ gone: 1 });
    expect(await watchedDomains.get('acme')).toMatchObject({ state: 'gone', nextCheckAt: null });
    expect(await register.list({ needsAttention: true }, { limit: 10 })).toEqual([]);
    expect(scripted.count('revokeApiKey')).toBe(1);
    expect(secrets.values.has(ownKeyRef('acme'))).toBe(false);
    expect(await sweep('48 hours')).toMatchObject({ gone: 0, skipped: 0 });
  });
});

test('after a claim the checks use one key of their own, which replaces itself when the provider refuses it', () => {
  let isRefused = false;
  const before = (call: string): void => {
    if (isRefused && call === 'getDomain')
      throw answeredWith('getDomain', { httpStatus: 401, code: 'invalid_api_key' });
  };
  return withWatch({ before }, async ({ onboarded, sweep, scripted, secrets, watchedDomains }) => {
    await onboarded('acme');
    await secrets.delete(apiKeyRef('acme'));
    await sweep();
    expect(secrets.values.has(ownKeyRef('acme'))).toBe(true);
    expect(await sweep('25 hours')).toMatchObject({ intact: 1 });
    expect(scripted.count('createApiKey')).toBe(2);
    isRefused = true;
    expect(await sweep('27 hours')).toMatchObject({ inconclusive: 1 });
    expect((await watchedDomains.get('acme'))?.problem).toContain('invalid_api_key');
    isRefused = false;
    expect(await sweep('27 hours')).toMatchObject({ intact: 1 });
    expect(scripted.count('createApiKey')).toBe(3);
  });
});

test('at a provider that knows scopes the checks use the own key, and replace it although the tenant has one', () =>
  withWatch({ knowsScopes: () => true }, async ({ onboarded, sweep, scripted, secrets }) => {
    await onboarded('acme');
    const own = await getIssued(secrets, apiKeyRef('acme'));
    if (own === undefined) throw new Error('the tenant has no key');
    await putIssued(secrets, ownKeyRef('acme'), own);
    const scopes = ['send', 'read'];
    const narrow = { account: 'acme', name: 'narrow', scopes };
    const { id, token = '' } = await scripted.provider.createApiKey(narrow, { idempotencyKey: 'narrow' });
    await putIssued(secrets, apiKeyRef('acme'), { id, secret: token, scopes });
    expect(await sweep()).toMatchObject({ intact: 1 });
    scripted.existing.delete(own.id);
    expect(await sweep('27 hours')).toMatchObject({ inconclusive: 1 });
    expect(await sweep('27 hours')).toMatchObject({ intact: 1 });
    expect((await getIssued(secrets, ownKeyRef('acme')))?.id).not.toBe(own.id);
    expect((await getIssued(secrets, apiKeyRef('acme')))?.id).toBe(id);
  }));

test('a check that fails stops no other one, and is repeated by the next sweep', () => {
  let isBroken = true;
  const before = (call: string, tenantId: string): void => {
    if (isBroken && call === 'getDomain' && tenantId === 'acme') throw new Error('a defect');
  };
  return withWatch({ before }, async ({ onboarded, sweep, scripted }) => {
    for (const tenantId of ['acme', 'globex', 'initech']) await onboarded(tenantId);
    expect(await sweep()).toMatchObject({ intact: 2, failed: 1 });
    expect(scripted.count('getDomain', 'acme')).toBe(3);
    isBroken = false;
    expect(await sweep()).toMatchObject({ failed: 0, inconclusive: 0 });
    expect(scripted.count('getDomain', 'acme')).toBe(4);
  });
});

test('of a provider that checks verified domains its checks count, and the name servers are not asked again', () => {
  let checks = 0;
  let status: 'found' | 'missing' = 'found';
  let checkedAt: string | undefined;
  const dns = () => {
    checks += 1;
    return 'published' as const;
  };
  const script = { dns, record: () => ({ status }), checkedAt: () => checkedAt, verified: () => status === 'found' };
  return withWatch(script, async ({ onboarded, sweep, server, eventTypes }) => {
    const checkIn = async (hours: number) =>
      void (checkedAt = new Date((await server.environment.currentTimeMs()) + hours * 3_600_000).toISOString());
    await onboarded('acme');
    await checkIn(-1);
    expect(await sweep()).toMatchObject({ intact: 1 });
    // Its next check is later than ours.
    expect(await sweep('26 hours')).toMatchObject({ intact: 1 });
    status = 'missing';
    await checkIn(1);
    expect(await sweep('27 hours')).toMatchObject({ suspected: 1 });
    expect(checks).toBe(0);
    // A defect counts once for each of its checks; without a newer one, the zone shows whether it is still there.
    expect(await sweep('2 hours')).toMatchObject({ inconclusive: 1 });
    expect(checks).toBe(1);
    await checkIn(1);
    expect(await sweep('2 hours')).toMatchObject({ drifted: 1 });
    status = 'found';
    await checkIn(1);
    expect(await sweep('2 hours')).toMatchObject({ recovered: 1 });
    expect(checks).toBe(1);
    // It has stopped checking.
    expect(await sweep('60 hours')).toMatchObject({ intact: 1 });
    expect(checks).toBe(2);
    expect(await eventTypes('acme')).toEqual(['domain.drifted', 'domain.recovered']);
  });
});
