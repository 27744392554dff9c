import { describe, expect, test } from 'vitest';
import { afterCheck, NOTICE_MS } from '../../../src/email-service/domains/domain-life.ts';
import type { DomainRecord } from '../../../src/email-service/resources/domain.ts';
import type { DomainTable } from '../../../src/email-service/store/schema.ts';
import type { DomainCheck, RecordCheck } from '../../../src/lib/dns/domain-check.ts';
import type { FindingCode } from '../../../src/lib/dns/findings/finding.ts';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-11-21T12:00:00.000Z');
const at = (hours: number): string => new Date(NOW.getTime() + hours * HOUR_MS).toISOString();

const record = (purpose: 'dkim' | 'spf'): DomainRecord => ({
  ...{ purpose, type: 'TXT', name: `${purpose}.acme.test`, host: purpose, value: 'v', value_chunks: ['v'], ttl: 300 },
  ...{ required: true, status: 'found', checked_at: null, findings: [] },
});

const domain = (more: Partial<DomainTable> = {}): DomainTable => ({
  ...{ id: 'dom_1', account_id: 'acc_1', return_path_domain: 'bounce.acme.test', tls: 'opportunistic' },
  ...{ created_at: at(-2_000), next_check_at: null, deleted_at: null },
  ...{ name: 'acme.test', dkim_selector: 'k1', sealed_dkim_private_key: 'old' },
  ...{ next_dkim_selector: null, sealed_next_dkim_private_key: null },
  status: 'verified',
  records: JSON.stringify([record('dkim'), record('spf')]),
  verified_at: at(-1_000),
  drifted_at: null,
  sends_until: null,
  last_checked_at: at(-1),
  ...more,
});

const seen = (purpose: 'dkim' | 'spf', status: RecordCheck['status'], codes: readonly FindingCode[] = []) => ({
  ...{ purpose, type: 'TXT' as const, name: `${purpose}.acme.test`, host: purpose, zone: 'acme.test' },
  ...{ nameServers: [], status, found: [] },
  findings: codes.map((code) => ({ code, severity: 'error' as const, name: '', expected: '', found: [], fix: '' })),
});

/** SPF is found. */
const dkimIs = (status: RecordCheck['status'], ...codes: FindingCode[]): DomainCheck => {
  const records = [seen('dkim', status, codes), seen('spf', 'found')];
  const verified = status === 'found';
  return { domain: 'acme.test', zone: 'acme.test', verified, conclusive: status !== 'inconclusive', records };
};

const found = dkimIs('found');
const lost = dkimIs('missing', 'not_published');
const unclear = dkimIs('inconclusive', 'server_failure');

const noticed = { status: 'temporary_failure', drifted_at: at(-71), sends_until: at(1) } as const;
const atEnd = { status: 'temporary_failure', drifted_at: at(-72), sends_until: at(0) } as const;
const over = { status: 'not_verified', drifted_at: at(-100), sends_until: at(-28) } as const;

const newNotice = { status: 'temporary_failure', drifted_at: at(0), sends_until: at(72) };
const recovered = { status: 'verified', drifted_at: null, sends_until: null };

describe('a check', () => {
  test.each([
    ['verifies a pending domain', { status: 'pending' }, found, recovered, 'domain.verified'],
    ['gives notice of 72 hours of a lost record', {}, lost, newNotice, 'domain.drifted'],
    ['gives it also of a changed one', {}, dkimIs('wrong', 'key_revoked'), newNotice, 'domain.drifted'],
    ['gives it after a week without checks', { last_checked_at: at(-168) }, lost, newNotice, 'domain.drifted'],
    ['gives it again after a day without', { ...atEnd, last_checked_at: at(-25) }, lost, newNotice, 'domain.drifted'],
    ['ends the verification with it', atEnd, lost, { ...atEnd, status: 'not_verified' }, 'domain.drifted'],
    ['recovers a domain during the notice', noticed, found, recovered, 'domain.recovered'],
    ['recovers a domain after it', over, found, recovered, 'domain.recovered'],
  ] as const)('%s', (_, before, check, after, event) => {
    const { change, events, isSettled } = afterCheck(domain(before), check, NOW);
    expect({ ...domain(before), ...change }).toMatchObject(after);
    expect({ events, isSettled }).toEqual({ events: [event], isSettled: check === found });
  });

  test.each([
    ['of a pending domain without its records', { status: 'pending' }, lost],
    ['of a verified domain that has them', {}, found],
    ['without an answer', {}, unclear],
    ['that only one name server denies', {}, dkimIs('wrong', 'ns_inconsistent')],
    ['of a zone with invalid signatures', {}, dkimIs('wrong', 'dnssec_bogus')],
    ['that only one side of a delegation denies', {}, dkimIs('missing', 'delegation_mismatch')],
    ['during the notice', noticed, lost],
    ['without an answer at the end of the notice', atEnd, unclear],
    ['of a domain that is not verified', over, lost],
    ['of a domain that is not verified, without an answer,', over, unclear],
  ] as const)('%s changes nothing', (_, before, check) => {
    const { status, drifted_at, sends_until } = domain(before);
    const { change, events, isSettled } = afterCheck(domain(before), check, NOW);
    expect({ ...domain(before), ...change }).toMatchObject({ status, drifted_at, sends_until });
    expect({ events, isSettled }).toEqual({ events: [], isSettled: check === found });
  });

  test('finds a lost record even if another one cannot be checked', () => {
    const check = { ...lost, records: [seen('dkim', 'missing', ['not_published']), seen('spf', 'inconclusive')] };
    expect(afterCheck(domain(), check, NOW).events).toEqual(['domain.drifted']);
  });

  test('ignores records that are only recommended', () => {
    const records = JSON.stringify([{ ...record('dkim'), required: false }, record('spf')]);
    expect(afterCheck(domain({ records }), lost, NOW)).toMatchObject({ change: {}, isSettled: true });
  });

  test('keeps the time of the first verification', () => {
    expect(afterCheck(domain(over), found, NOW).change).not.toHaveProperty('verified_at');
    expect(afterCheck(domain({ status: 'pending', verified_at: null }), found, NOW).change.verified_at).toBe(at(0));
  });

  test('cannot end a verification by a clock that jumps ahead', () => {
    const before = domain({ ...noticed, sends_until: at(71), last_checked_at: at(0) });
    const tenDaysLater = new Date(NOW.getTime() + 240 * HOUR_MS);
    expect(afterCheck(before, lost, tenDaysLater).change).toMatchObject({
      status: 'temporary_failure',
      sends_until: new Date(tenDaysLater.getTime() + NOTICE_MS).toISOString(),
    });
  });
});
