import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bounce, ProviderEvent } from '../../../src/onboarding/provider-event.ts';
import { type ProviderEvents, createSqlProviderEvents } from '../../../src/store/onboarding/provider-events.ts';
import { type ProviderIntents, createSqlProviderIntents } from '../../../src/store/onboarding/provider-intents.ts';
import type { Schema } from '../../../src/store/database.ts';
import { recordQueries, type RecordedQueries } from '../../support/record-queries.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
let queries: RecordedQueries<Schema>;
let events: ProviderEvents;
let intents: ProviderIntents;
beforeEach(async () => {
  opened = await openTestRegister();
  queries = recordQueries(opened.database);
  events = createSqlProviderEvents(queries.database);
  intents = createSqlProviderIntents(queries.database);
});
afterEach(async () => {
  await queries.expectIndexed();
  await opened.end();
});

const at = (minute: number): string => `2026-11-24T12:${String(minute).padStart(2, '0')}:00.000Z`;
const event = (changes: Partial<ProviderEvent>): ProviderEvent => ({
  ...{ eventId: 'msg_1', type: 'delivered', at: at(0), emailId: 'e-1' },
  ...changes,
});
const bounce: Bounce = {
  ...{ category: 'recipient', permanentFor: 'address', reason: 'No such user' },
  ...{ smtpCode: 550, enhancedCode: '5.1.1', diagnostic: '550 5.1.1 No such user', remoteMta: null },
};

/** Notes the email of a tenant. @param emailId null: its answer is lost */
async function noteEmail(tenantId: string, emailId: string | null): Promise<void> {
  const key = { provider: 'resend', kind: 'email', subject: tenantId } as const;
  await intents.note(key, { tenantId, attemptId: '1', notedAt: at(0), intentId: `intent-${tenantId}` });
  if (emailId !== null) await intents.setMade(key, { resourceId: emailId, attemptId: '1' });
}
const count = async (): Promise<number> =>
  (await opened.database.selectFrom('provider_events').select('event_id').execute()).length;

test('an event names its tenant by the id of the email or of the domain', async () => {
  await noteEmail('acme', 'e-1');
  await intents.note(
    { provider: 'resend', kind: 'domain', subject: 'acme.test' },
    { tenantId: 'acme', attemptId: '1', notedAt: at(0) },
  );
  await intents.setMade(
    { provider: 'resend', kind: 'domain', subject: 'acme.test' },
    { resourceId: 'd-1', attemptId: '1' },
  );
  const domain = event({ eventId: 'msg_2', type: 'domain', emailId: undefined, domainId: 'd-1' });
  expect(await events.store('resend', [event({}), domain])).toEqual([
    { tenantId: 'acme', eventId: 'msg_1', type: 'delivered' },
    { tenantId: 'acme', eventId: 'msg_2', type: 'domain' },
  ]);
  expect(await count()).toBe(2);
});

test('an event names the email whose answer was lost', async () => {
  await noteEmail('acme', null);
  expect(await events.emailIdOf('resend', 'intent-acme')).toBeUndefined();
  expect(await events.store('resend', [event({ type: 'accepted', intentId: 'intent-acme' })])).toHaveLength(1);
  expect(await events.emailIdOf('resend', 'intent-acme')).toBe('e-1');
});

test('a tag on another email than the one of the onboarding proves nothing', async () => {
  await noteEmail('acme', 'e-1');
  expect(await events.store('resend', [event({ emailId: 'e-9', intentId: 'intent-acme', type: 'bounced' })])).toEqual(
    [],
  );
  expect(await events.email('resend', 'e-9')).toBeUndefined();
});

test.each<[string, Partial<ProviderEvent>]>([
  ['of an unknown email', { emailId: 'e-2' }],
  ['of an unknown intent', { emailId: undefined, intentId: 'intent-other' }],
  ['without any id', { emailId: undefined }],
  ['that matters to no onboarding', { type: 'other' }],
  ['with an id that is too long', { eventId: 'x'.repeat(256) }],
  ['without an event id', { eventId: '' }],
])('an event %s is forgotten', async (_name, changes) => {
  await noteEmail('acme', 'e-1');
  await noteEmail('unanswered', null);
  expect(await events.store('resend', [event(changes)])).toEqual([]);
  expect(await count()).toBe(0);
});

test('what was noted at another provider is not this one’s', async () => {
  await noteEmail('acme', 'e-1');
  await opened.database.updateTable('provider_intents').set({ intent: 'other/email/acme' }).execute();
  expect(await events.store('resend', [event({})])).toEqual([]);
});

test('a repetition changes nothing, even with other content', async () => {
  await noteEmail('acme', 'e-1');
  await events.store('resend', [event({})]);
  expect(await events.store('resend', [event({ type: 'bounced', bounce })])).toHaveLength(1);
  expect(await events.email('resend', 'e-1')).toMatchObject({ status: 'delivered' });
  expect(await count()).toBe(1);
});

test('two of the same event in one request are one', async () => {
  await noteEmail('acme', 'e-1');
  await events.store('resend', [event({}), event({})]);
  expect(await count()).toBe(1);
});

test('the latest final event decides, whatever the order of arrival', async () => {
  await noteEmail('acme', 'e-1');
  await events.store('resend', [event({ eventId: '3', type: 'bounced', at: at(3), bounce })]);
  await events.store('resend', [
    event({ eventId: '1', type: 'accepted', at: at(1) }),
    event({ eventId: '4', type: 'deferred', at: at(4) }),
  ]);
  await events.store('resend', [event({ eventId: '2', type: 'delivered', at: at(2) })]);
  expect(await events.email('resend', 'e-1')).toEqual({
    ...{ id: 'e-1', status: 'bounced', deliveredAt: null, bounce },
    lastAttempt: `bounced at ${at(3)}`,
  });
});

test('an email without a final event shows its latest one', async () => {
  await noteEmail('acme', 'e-1');
  await events.store('resend', [
    event({ eventId: '2', type: 'deferred', at: at(2) }),
    event({ eventId: '1', type: 'accepted', at: at(1) }),
  ]);
  expect(await events.email('resend', 'e-1')).toMatchObject({ status: 'deferred', bounce: null, deliveredAt: null });
});

test('a suppressed email has bounced, and one that is delivered says when', async () => {
  await noteEmail('acme', 'e-1');
  await events.store('resend', [event({ type: 'suppressed', bounce: { ...bounce, category: 'suppressed' } })]);
  expect(await events.email('resend', 'e-1')).toMatchObject({ status: 'bounced', bounce: { category: 'suppressed' } });
  await events.store('resend', [event({ eventId: '2', at: at(2) })]);
  expect(await events.email('resend', 'e-1')).toMatchObject({ status: 'delivered', deliveredAt: at(2) });
});

test('the texts of a bounce are cut', async () => {
  await noteEmail('acme', 'e-1');
  await events.store('resend', [event({ type: 'bounced', bounce: { ...bounce, diagnostic: 'x'.repeat(500_000) } })]);
  expect((await events.email('resend', 'e-1'))?.bounce?.diagnostic).toHaveLength(1_000);
});
