import './support/quiet-temporal.ts';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outgoing } from '../src/activities/upkeep/send-notification.ts';
import { eventData } from '../src/http/schemas/events.ts';
import type { DnsRecord } from '../src/onboarding/dns-record.ts';
import { afterWatchCheck } from '../src/onboarding/domain-watch.ts';
import { type OnboardingEventType, eventTypes, isNotified } from '../src/onboarding/onboarding-events.ts';
import type { Register } from '../src/store/onboarding/register.ts';
import { createSqlNotificationQueue } from '../src/store/upkeep/notification-queue.ts';
import { beginOnboarding } from './support/begin-onboarding.ts';
import { expectDescribed } from './support/expect-described.ts';
import { afterHours, type OnboardingEnvironment, withOnboardings } from './support/onboarding-environment.ts';

const mistake = {
  code: 'host_doubled',
  name: 'k1._domainkey.acme.test.acme.test',
  fix: 'The DKIM record is at k1._domainkey.acme.test.acme.test\nChange its host to k1._domainkey',
  publish: { type: 'TXT', host: 'k1._domainkey', value: 'v=DKIM1; k=rsa; p=dom_3' },
};

/** Everything but the ends of other onboardings: `acme` fixes its DNS after two hours, and its domain drifts later. */
const successful = (collect: (environment: OnboardingEnvironment) => Promise<void>): Promise<void> =>
  withOnboardings(
    (clock) => ({
      verified: afterHours(2, clock),
      record: () => ({ status: 'missing', findings: [mistake as never] }),
    }),
    async (environment) => {
      await (await environment.start()).result();
      for (const findings of [[mistake], [mistake], []]) await check(environment.register, findings);
      await collect(environment);
    },
  );

/** The window of `acme` closes; then another onboarding is cancelled, and one that Temporal lost ends as the sweep does. */
const unsuccessful = (collect: (environment: OnboardingEnvironment) => Promise<void>): Promise<void> =>
  withOnboardings({ verified: () => false }, async (environment) => {
    const { start, register } = environment;
    await (await start()).result().catch(() => undefined);
    const cancelled = await start();
    await environment.sleep('1 hour');
    await cancelled.cancel();
    await cancelled.result().catch(() => undefined);
    await beginOnboarding(register, 'globex', 'lost');
    const record = await register.get('globex');
    if (record === undefined) throw new Error('no record');
    const at = new Date().toISOString();
    await register.end({ ...record, runId: 'lost', at, outcome: 'terminated' });
    await collect(environment);
  });

async function check(register: Register, findings: readonly (typeof mistake)[]): Promise<void> {
  const at = new Date().toISOString();
  const [kept] = (await register.get('acme'))?.onboarding.records ?? [];
  if (kept === undefined) throw new Error('no records');
  const records: DnsRecord[] = [
    { ...kept, status: findings.length > 0 ? 'missing' : 'found', findings: [...findings] },
  ];
  await register.watch('acme', at, (watched) => {
    const { watch, event } = afterWatchCheck(watched, { kind: 'records', records, status: 'verified' }, at);
    return { watched: { ...watched, ...watch }, records, events: event === null ? [] : [event] };
  });
}

test('docs/notifications.md shows an example of every type, as a real run sends it', async () => {
  const sent = new Map<string, object>();
  const collect =
    (...expected: readonly string[]) =>
    async ({ database }: OnboardingEnvironment): Promise<void> => {
      const all = await createSqlNotificationQueue(database).list({}, { limit: 100 });
      const payloads = all.reverse().map((notification) => {
        const { type, timestamp, data } = outgoing(notification);
        return { type, timestamp, data };
      });
      expect(payloads.map(nameOf)).toEqual(expected);
      for (const payload of payloads) sent.set(nameOf(payload), payload);
    };
  await successful(
    collect(
      'onboarding.domain_registered',
      'onboarding.needs_attention dns',
      'onboarding.verified',
      'onboarding.onboarded',
      'domain.drifted',
      'domain.recovered published',
    ),
  );
  await unsuccessful(
    collect(
      'onboarding.domain_registered',
      'onboarding.needs_attention deadline',
      'onboarding.failed',
      'onboarding.undo_ended',
      'onboarding.domain_registered',
      'onboarding.cancelled',
      'onboarding.undo_ended',
      'onboarding.terminated',
    ),
  );
  const types = (Object.keys(eventTypes) as OnboardingEventType[]).filter(isNotified);
  expect(new Set([...sent.keys()].map((name) => name.split(' ')[0]))).toEqual(new Set(types));

  const examples = examplesOf(document).filter((example) => !('eventId' in example));
  expect(new Map(examples.map((example) => [nameOf(example), shapeOf(example)]))).toEqual(
    new Map([...sent].map(([name, payload]) => [name, shapeOf(payload)])),
  );
});

test('docs/notifications.md lists every type of event, with an example that its schema describes', () => {
  const types = Object.keys(eventTypes);
  const rows = [...document.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \|/gm)].map(([, type]) => type);
  expect(rows.toSorted()).toEqual(types.toSorted());
  const examples = examplesOf(document).map(({ type, data }) => {
    const { tenantId, ...rest } = data as Partial<Record<string, unknown>>;
    return { type: type as OnboardingEventType, data: rest, isNotification: tenantId !== undefined };
  });
  expect(new Set(examples.map(({ type }) => type))).toEqual(new Set(types));
  for (const { type, isNotification } of examples) expect([type, isNotification]).toEqual([type, isNotified(type)]);
  expectDescribed(eventData, examples);
});

const document = readFileSync(new URL('../docs/notifications.md', import.meta.url), 'utf8');

const examplesOf = (text: string): Payload[] =>
  [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = '']) => JSON.parse(json) as Payload);

interface Payload {
  readonly type: string;
  readonly data: object;
}

const nameOf = ({ type, data }: Payload): string => ('reason' in data ? `${type} ${String(data.reason)}` : type);

/** The names of all fields, without their values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return 'value';
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}
