import { expect, test } from 'vitest';
import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import {
  afterWatchCheck,
  attentionOfWatch,
  type DomainWatch,
  muteRecord,
  newWatch,
  nextWatchCheckMs,
  unmuteRecord,
  type WatchObservation,
} from '../../src/onboarding/domain-watch.ts';
import { seededChances } from '../support/seeded-chances.ts';
import { dkimRecord } from './dns-operators/records.ts';

const AT = '2026-01-01T00:00:00.000Z';
const HOUR_MS = 3_600_000;

const record = (changes: Partial<DnsRecord> = {}, ...codes: string[]): DnsRecord => ({
  ...dkimRecord,
  status: 'found',
  findings: codes.map((code) => ({ code, name: dkimRecord.name, fix: `fix ${code}` })),
  ...changes,
});
const records = (...seen: DnsRecord[]): WatchObservation => ({ kind: 'records', records: seen, status: 'verified' });

const intact = records(record(), record({ purpose: 'spf' }));
const missing = records(record({ status: 'missing' }, 'not_published'), record({ purpose: 'spf' }));
const silent = records(record({ status: 'inconclusive' }, 'server_failure'), record({ purpose: 'spf' }));
const down: WatchObservation = { kind: 'unanswered', problem: 'GET /domains/dom_1: no answer' };
const gone: WatchObservation = { kind: 'gone' };

/** The watch after these observations, and the types of its events. */
function observe(seen: readonly WatchObservation[], from: DomainWatch = newWatch(AT)) {
  const events: string[] = [];
  let watch = from;
  for (const observation of seen) {
    const step = afterWatchCheck(watch, observation, AT);
    watch = step.watch;
    if (step.event !== null) events.push(step.event.type);
  }
  return { watch, events };
}

const mute = { purpose: 'dkim', reason: 'moved to another provider', by: 'ada', at: AT };

test('a domain has drifted after the second check in a row that misses a required record, and says what to do', () => {
  const once = observe([intact, missing]);
  expect(once.watch).toMatchObject({ state: 'ok', findings: [{ code: 'not_published', purpose: 'dkim' }] });
  const twice = afterWatchCheck(once.watch, missing, AT);
  expect(twice.watch.state).toBe('drifted');
  const finding = { purpose: 'dkim', code: 'not_published', name: dkimRecord.name, fix: 'fix not_published' };
  expect(twice.event).toEqual({ type: 'domain.drifted', data: { findings: [finding] } });
  expect(attentionOfWatch(twice.watch)).toEqual({
    findings: [finding],
    cause: 'not_published@k1._domainkey.mail.acme.com',
    since: AT,
  });
});

test.each([
  ['one bad check between good ones', [missing, intact, missing, intact], []],
  ['a drift is reported once', [missing, missing, missing, missing], ['domain.drifted']],
  ['the recovery is reported once', [missing, missing, intact, intact], ['domain.drifted', 'domain.recovered']],
  ['inconclusive checks do not interrupt a row', [missing, down, silent, missing], ['domain.drifted']],
  ['inconclusive checks are no defect', [down, silent, down, silent], []],
  ['inconclusive checks are no recovery', [missing, missing, silent, down], ['domain.drifted']],
  ['two 404s are no row of defects', [missing, gone, missing], []],
])('%s', (_, seen, events) => {
  expect(observe(seen).events).toEqual(events);
});

test.each([
  ['a recommended record', [record({ required: false, status: 'missing' }, 'not_published'), record()]],
  ['a resolver that remembers the time before the record', [record({ status: 'found' }, 'negative_cached')]],
  [
    'name servers that differ, as while a change spreads',
    [record({ status: 'wrong' }, 'ns_inconsistent', 'key_stale')],
  ],
  ['a mistake of the sending service', [record({ purpose: 'spf', status: 'wrong' }, 'sender_spf_broken')]],
])('%s never counts', (_, seen) => {
  expect(observe([records(...seen), records(...seen), records(...seen)])).toMatchObject({
    events: [],
    watch: { state: 'ok', findings: [] },
  });
});

test('a record whose defect the provider reports without a reason gets a fix', () => {
  const { watch } = observe([records(record({ type: 'CNAME', status: 'missing', value: 'k1.mail.example' }))]);
  expect(watch.findings).toMatchObject([
    {
      code: 'not_published',
      fix: 'The CNAME record is missing. Publish it at host k1._domainkey.mail in zone acme.com with the value k1.mail.example',
      publish: { type: 'CNAME', host: 'k1._domainkey.mail', value: 'k1.mail.example' },
    },
  ]);
});

test('a check without a required record is inconclusive', () => {
  const { watch } = observe([missing, missing, records()]);
  expect(watch).toMatchObject({ state: 'drifted', problem: 'The provider reported no required DNS record' });
});

test('a domain that the provider no longer reports as verified is not known to be intact', () => {
  const { watch, events } = observe([missing, missing, { kind: 'records', records: [record()], status: 'pending' }]);
  expect(events).toEqual(['domain.drifted']);
  expect(watch.problem).toBe('Every required record is published, but the provider reports the domain as pending');
});

test('a domain is gone after three 404s in a row, and stays gone', () => {
  expect(observe([gone, gone, intact, gone, gone]).watch.state).toBe('ok');
  const { watch, events } = observe([missing, missing, gone, down, gone, gone, missing, intact]);
  expect(watch).toMatchObject({ state: 'gone', findings: [] });
  expect(events).toEqual(['domain.drifted']);
  expect(attentionOfWatch(watch)).toBeNull();
});

test('muting the only defect ends the drift', () => {
  const { watch } = observe([missing, missing]);
  const { watch: muted, event } = muteRecord(watch, mute);
  expect(event).toEqual({ type: 'domain.recovered', data: { reason: 'muted' } });
  expect(muted).toMatchObject({ state: 'ok', findings: [], muted: [mute] });
  expect(observe([missing, missing, missing], muted).events).toEqual([]);
});

test('muting one of two defects leaves the drift with the other', () => {
  const both = records(
    record({ status: 'missing' }, 'not_published'),
    record({ purpose: 'spf', status: 'wrong' }, 'spf_multiple'),
  );
  const { watch, event } = muteRecord(observe([both, both]).watch, mute);
  expect(event).toBeNull();
  expect(watch).toMatchObject({ state: 'drifted', findings: [{ purpose: 'spf' }] });
});

test('a record that is no longer muted counts again', () => {
  const unmuted = unmuteRecord(muteRecord(newWatch(AT), mute).watch, 'dkim');
  expect(observe([missing, missing], unmuted).events).toEqual(['domain.drifted']);
});

test('a drifted domain is checked every hour, an intact one once an interval, spread from its first check on', () => {
  const fresh = newWatch(AT);
  const ok = observe([intact]).watch;
  const drifted = observe([missing, missing]).watch;
  const delayMs = (before: DomainWatch, after: DomainWatch, random: number): number =>
    nextWatchCheckMs({ before, after }, 24 * HOUR_MS, random);
  expect([0, 0.25, 1].map((random) => delayMs(fresh, ok, random) / HOUR_MS)).toEqual([0, 6, 24]);
  expect(delayMs(ok, ok, 0.5)).toBe(24 * HOUR_MS);
  expect(delayMs(ok, observe([missing], ok).watch, 0.5)).toBe(HOUR_MS);
  expect(delayMs(drifted, drifted, 0.5)).toBe(HOUR_MS);
  expect(nextWatchCheckMs({ before: drifted, after: drifted }, 60_000, 0.5)).toBe(60_000);
});

type Kind = 'intact' | 'missing' | 'silent' | 'down' | 'gone' | 'mute' | 'unmute';
const kinds: readonly Kind[] = ['intact', 'missing', 'missing', 'silent', 'down', 'gone', 'gone', 'mute', 'unmute'];
const observations: Readonly<Partial<Record<Kind, WatchObservation>>> = { intact, missing, silent, down, gone };

/** The specification, written as a count over the whole sequence instead of a state. */
function expected(sequence: readonly Kind[]): { events: string[]; state: string } {
  const events: string[] = [];
  let row: Kind[] = [];
  let [isMuted, isDrifted, isGone] = [false, false, false];
  const recover = (): void => {
    if (isDrifted) events.push('domain.recovered');
    isDrifted = false;
  };
  for (const kind of sequence) {
    if (kind === 'mute') {
      isMuted = true;
      if (row.at(-1) === 'missing') row = [];
      if (!isGone) recover();
    } else if (kind === 'unmute') isMuted = false;
    else if (kind === 'intact' || (isMuted && (kind === 'missing' || kind === 'silent'))) {
      row = [];
      if (!isGone) recover();
    } else if (kind === 'gone' || kind === 'missing') {
      row.push(kind);
      if (!isGone && row.length >= 3 && row.slice(-3).every((one) => one === 'gone')) isGone = true;
      if (!isGone && !isDrifted && row.length >= 2 && row.slice(-2).every((one) => one === 'missing')) {
        isDrifted = true;
        events.push('domain.drifted');
      }
    }
  }
  return { events, state: isGone ? 'gone' : isDrifted ? 'drifted' : 'ok' };
}

test('reports every drift and recovery once, and nothing else, in 10,000 sequences of checks', () => {
  const met = new Map<string, number>();
  for (let seed = 1; seed <= 10_000; seed++) {
    const chances = seededChances(seed);
    const sequence = Array.from({ length: 14 }, () => chances.pick(kinds));
    let watch = newWatch(AT);
    const events: string[] = [];
    for (const kind of sequence) {
      const before = watch;
      const observation = observations[kind];
      if (kind === 'unmute') watch = unmuteRecord(watch, 'dkim');
      else {
        const step = observation === undefined ? muteRecord(watch, mute) : afterWatchCheck(watch, observation, AT);
        watch = step.watch;
        if (step.event !== null) events.push(step.event.type);
      }
      if (kind === 'down') expect({ ...watch, problem: null }, `seed ${seed}`).toEqual({ ...before, problem: null });
      if (kind === 'gone' && before.state === 'gone') expect(watch, `seed ${seed}`).toBe(before);
    }
    expect({ events, state: watch.state }, `seed ${seed}: ${sequence.join(' ')}`).toEqual(expected(sequence));
    for (const one of [...events, watch.state]) met.set(one, (met.get(one) ?? 0) + 1);
  }
  for (const one of ['domain.drifted', 'domain.recovered', 'gone', 'drifted', 'ok']) {
    expect(met.get(one) ?? 0, one).toBeGreaterThan(100);
  }
});
