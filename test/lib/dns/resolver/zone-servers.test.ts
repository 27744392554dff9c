import { expect, test } from 'vitest';
import type { DnsAnswer } from '../../../../src/lib/dns/resolver/answer.ts';
import { zoneServersOf } from '../../../../src/lib/dns/resolver/zone-servers.ts';

const found = (server: string, aliases: readonly string[] = []): DnsAnswer => ({
  ...{ kind: 'found', server, authoritative: true, aliases, values: ['x'], ttlSeconds: 300 },
});
const timeout = (server: string): DnsAnswer => ({ kind: 'serverFailure', server, reason: 'timeout' });

const serversOf = (answers: readonly DnsAnswer[], zone?: string) =>
  zoneServersOf({ name: 'bounce.acme.test', type: 'TXT', zone, answers });

test('names each server of the zone once, and whether any of its addresses answered', () => {
  expect(
    serversOf(
      [timeout('ns1.acme.test (192.0.2.1)'), found('ns1.acme.test (192.0.2.2)'), timeout('ns2.acme.test')],
      'acme.test',
    ),
  ).toEqual([
    { name: 'ns1.acme.test', answered: true },
    { name: 'ns2.acme.test', answered: false },
  ]);
});

test.each([
  ['no server named the zone', [timeout('ns1.acme.test')], ''],
  ['an alias leads to servers of another zone', [found('ns1.other.test (192.0.2.1)', ['x.other.test'])], 'acme.test'],
  [
    'a recursive resolver failed',
    [{ kind: 'serverFailure', server: '192.0.2.53:53', reason: 'timeout', isResolver: true }] as const,
    'acme.test',
  ],
])('names no server where %s', (_case, answers, zone) => {
  expect(serversOf(answers, zone === '' ? undefined : zone)).toEqual([]);
});
