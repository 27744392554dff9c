// A provider that asks for CNAME records alone, as Amazon SES does for its keys; the zone is served by real name servers.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { watchActivities } from '../../../src/activities/upkeep/watch-domain.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';
import { createHttpEmailProvider } from '../../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { viewOfRecord } from '../../../src/http/setup-page/view-of-record.ts';
import { checkRecords } from '../../../src/lib/dns/check-records.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { checkNowUpdate } from '../../../src/workflows/messages.ts';
import { findingKey } from '../../../src/workflows/search-attributes.ts';
import { delegation, startNameServers } from '../../lib/dns/name-servers.ts';
import { currentDetailsOf } from '../../support/onboarding-environment.ts';
import { usualChoices, type Behaviour } from '../../support/seven-endpoints.ts';
import { withSevenEndpoints } from './with-seven-endpoints.ts';

const SERVER = '127.0.0.3';
const tokens = ['t1', 't2', 't3'];
const aliases = (target = 'dkim.provider.test'): readonly ZoneRecord[] =>
  tokens.map((token) => ({ type: 'CNAME', name: `${token}._domainkey.acme.test`, value: `${token}.${target}` }));

test('a tenant whose records are CNAME records waits, sees the mistake everywhere, is verified, and is watched', async () => {
  const servers = await startNameServers(delegation('acme.test', SERVER));
  const zone = await servers.serve('acme.test', SERVER);
  const enter = (records: readonly ZoneRecord[]): void => {
    for (const { name } of aliases()) zone.withdraw(name, 'CNAME');
    zone.publish(records);
  };
  const resolver = servers.resolver();
  const check = (domain: string, expected: readonly ExpectedRecord[]) => checkRecords(resolver, domain, expected);
  let isVerified = false;
  /** Its records are in capitals and end with a dot, and it says nothing about them. */
  const withAliases: Behaviour = (call, usual) => {
    if (!/^(?:POST|GET) \/domains/.test(call) || call.endsWith('/verify')) return usual;
    const records = aliases('DKIM.provider.test.').map(({ type, name, value }) => ({ type, name, value }));
    const domain = JSON.parse(usual.body.toString()) as object;
    return { ...usual, body: JSON.stringify({ ...domain, records, status: isVerified ? 'verified' : 'pending' }) };
  };

  await withSevenEndpoints(
    async ({ start, sleep, register, watchedDomains, secretStore }, far) => {
      far.add('acme', usualChoices, withAliases);
      const handle = await start();
      const recorded = async () => (await register.get('acme'))!;
      const checkNow = () => handle.executeUpdate(checkNowUpdate);
      await sleep('3 hours');
      const waiting = await recorded();
      expect(waiting.onboarding.records.map(({ type, status }) => `${type} ${status}`)).toEqual(
        tokens.map(() => 'CNAME missing'),
      );
      expect(viewOfRecord(waiting).state).toBe('waiting');

      enter(aliases('dkim.provider.test.acme.test'));
      await checkNow();
      await sleep('2 hours');
      const wrong = await recorded();
      expect(wrong.attention?.findings.map(({ code }) => code)).toEqual(tokens.map(() => 'cname_target_appended'));
      const { state, records } = viewOfRecord(wrong);
      expect([state, records[0]?.form.type, records[0]?.form.value]).toEqual([
        'wrong',
        'CNAME',
        't1.DKIM.provider.test.',
      ]);
      expect((await handle.describe()).typedSearchAttributes.get(findingKey)).toEqual(['cname_target_appended']);
      expect(await currentDetailsOf(handle)).toContain('the form appended a domain to the target');
      expect(JSON.stringify(await register.events({ after: 0, limit: 1_000 }))).toContain('cname_target_appended');

      enter(aliases());
      await checkNow();
      await sleep('2 hours');
      expect(viewOfRecord(await recorded()).state).toBe('published');
      isVerified = true;
      await handle.result();

      const provider = createHttpEmailProvider({ baseUrl: far.baseUrl, operatorToken: 'operator' });
      const watch = watchActivities({
        ...{ provider, secrets: secretStore, register, watchedDomains, checkRecords: check },
        watchIntervalMs: 86_400_000,
      });
      const look = (at: string) =>
        new MockActivityEnvironment({ currentAttemptScheduledTimestampMs: Date.parse(at) }).run(() =>
          watch.checkWatchedDomain({ tenantId: 'acme', dueBy: at }),
        );
      expect(await look('2100-01-01T00:00:00.000Z')).toEqual({ result: 'intact' });
      enter(aliases().slice(1));
      expect(await look('2100-02-01T00:00:00.000Z')).toEqual({ result: 'suspected' });
      expect(await look('2100-03-01T00:00:00.000Z')).toEqual({ result: 'drifted' });
      expect(viewOfRecord(await recorded()).state).toBe('drifted');
      enter(aliases());
      expect(await look('2100-04-01T00:00:00.000Z')).toEqual({ result: 'recovered' });
      await provider.close();
    },
    { checkRecords: check },
  );
});
