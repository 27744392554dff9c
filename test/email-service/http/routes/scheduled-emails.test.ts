import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { beginAttempt } from '../../../../src/email-service/store/delivery-attempts.ts';
import { addPendingToOutbox } from '../../../../src/email-service/store/pending-starts.ts';
import {
  accountsWithDueEmails,
  countKeptByLimits,
  startDueEmails,
} from '../../../../src/email-service/store/scheduled-emails.ts';
import type { SendingLimits } from '../../../../src/email-service/resources/sending-limits.ts';
import { UNLIMITED } from '../../support/unlimited.ts';
import {
  email,
  idOf,
  OPERATOR_TOKEN,
  type SendingApi,
  type Sent,
  startSendingApi,
  problemIn,
} from '../../support/test-api.ts';

let api: SendingApi;
beforeEach(async () => {
  api = await startSendingApi();
});
afterEach(() => api.end());

const LATER = '2026-03-01T14:00:00+01:00';
const send = (changes: object = {}): Sent => api.send({ scheduled_at: LATER, ...changes });
const cancel = (id: string, by = api.token): Sent => api.post(`/emails/${id}/cancel`, undefined, { token: by });
const change = (id: string, scheduledAt: string, by = api.token): Sent =>
  api.patch(`/emails/${id}`, { scheduled_at: scheduledAt }, by);
const get = async (id: string) => (await api.get(`/emails/${id}`)).json<Record<string, unknown>>();
const events = async () =>
  (await api.get('/events')).json<{ data: { type: string; data: object }[] }>().data.map(({ type }) => type);
const outbox = async () =>
  (await api.store.selectFrom('outbox').select('workflow_id').orderBy('workflow_id').execute())
    .map(({ workflow_id: id }) => id)
    .filter((id) => id.startsWith('deliver-email'));
const due = async (time: string, sendingLimits: SendingLimits = UNLIMITED) => {
  const now = new Date(time);
  const begun: string[] = [];
  for await (const accountId of accountsWithDueEmails(api.store, now)) {
    const asked = { accountId, now, sendingLimits, claimed: false };
    begun.push(...(await startDueEmails(api.store, asked)).map(({ start }) => start.workflowId));
  }
  return begun;
};

describe('scheduled_at', () => {
  test('keeps an email out of the outbox until its time', async () => {
    const answer = await send();
    expect([answer.statusCode, answer.json()]).toEqual([202, { id: expect.any(String), status: 'queued' }]);
    const { id } = answer.json<{ id: string }>();
    expect(await get(id)).toMatchObject({
      status: 'queued',
      created_at: '2026-03-01T12:00:00.000Z',
      scheduled_at: '2026-03-01T13:00:00.000Z',
      expires_at: '2026-03-02T13:00:00.000Z',
    });
    expect([await outbox(), api.asked.filter((each) => each.includes('deliver-email'))]).toEqual([[], []]);
    await addPendingToOutbox(api.store);
    expect([await outbox(), await due('2026-03-01T12:59:59.999Z')]).toEqual([[], []]);
    expect(await due('2026-03-01T13:00:00.000Z')).toEqual([`deliver-email/${id}`]);
    expect([await outbox(), await due('2026-03-01T13:00:00.000Z')]).toEqual([[`deliver-email/${id}`], []]);
  });

  test('starts emails in the order of their times, a hundred in each transaction', async () => {
    const [late, early] = [await idOf(send({ scheduled_at: '2026-03-01T13:00:01Z' })), await idOf(send())];
    expect(await due('2026-03-02T00:00:00Z')).toEqual([`deliver-email/${early}`, `deliver-email/${late}`]);
    for (let n = 0; n < 101; n += 1) await send();
    expect([(await due(LATER)).length, (await due(LATER)).length, (await due(LATER)).length]).toEqual([100, 1, 0]);
  });

  test.each([
    ['2026-03-01T12:00:00Z', 'in_the_past'],
    ['2026-03-31T12:00:00.001Z', 'too_far_ahead'],
    ['9999-12-31T23:59:59Z', 'too_far_ahead'],
    ['2026-03-02T23:59:60Z', 'malformed'],
    ['2026-03-02T12:00:00', 'malformed'],
    ['in 1 hour', 'malformed'],
    ['2026-03-02', 'malformed'],
    [1_772_366_400, 'wrong_type'],
  ])('refuses %s', async (scheduledAt, code) => {
    const answer = await send({ scheduled_at: scheduledAt });
    expect(problemIn(answer)).toEqual([422, 'validation_failed', `/scheduled_at ${code}`]);
  });

  test.each(['2026-03-31T12:00:00Z', '2026-03-31T14:00:00.000+02:00', '2026-03-01T12:00:00.001Z'])(
    'accepts %s',
    async (scheduledAt) => {
      expect((await send({ scheduled_at: scheduledAt })).statusCode).toBe(202);
    },
  );

  test('is repeated with the first answer also after its time, and after a cancellation', async () => {
    const request = email(api.senderId, { scheduled_at: LATER });
    const first = await api.post('/emails', request, { key: 'once' });
    await cancel(first.json<{ id: string }>().id);
    api.clock.time = new Date('2026-03-05T00:00:00Z');
    const again = await api.inject({
      ...{ method: 'POST', url: '/emails', payload: request },
      headers: { authorization: `Bearer ${api.token}`, 'idempotency-key': 'once', prefer: 'wait=5' },
    });
    expect([again.headers['idempotent-replayed'], again.json()]).toEqual(['true', first.json()]);
    expect(again.headers['preference-applied']).toBeUndefined();
  });

  test('counts again when it leaves: no more leave than the limits allow, the first ones first', async () => {
    const windows = async (changes: object) => {
      await api.store.updateTable('sending_limits').set(changes).execute();
    };
    const ids = [await idOf(send()), await idOf(send()), await idOf(send())];
    const started = (each: readonly (string | undefined)[]) => each.map((id) => `deliver-email/${String(id)}`);
    // Accepted in the minute, the hour and the day in which they leave.
    const two = { minute: 3, hour: 3, day: 3 };
    expect(await due('2026-03-01T12:59:59Z', two)).toEqual([]);
    // The minute of their acceptance is over.
    await windows({ minute_started: 0 });
    expect(await due(LATER, { ...two, minute: 2 })).toEqual(started(ids.slice(0, 2)));
    expect(await due(LATER, { ...two, minute: 2 })).toEqual([]);
    await windows({ minute_started: 0 });
    expect([await due(LATER, { ...two, minute: 2 }), await due(LATER, two)]).toEqual([started(ids.slice(2)), []]);
    const counts = await api.store.selectFrom('sending_limits').selectAll().executeTakeFirstOrThrow();
    expect([counts.minute_count, counts.hour_count, counts.day_count]).toEqual([1, 3, 3]);
  });

  test('waits for its limits until it expires, while those of other accounts leave', async () => {
    const other = await api.openAccount('globex');
    const theirs = email(await api.sender(other, 'hello@globex.test'), { scheduled_at: LATER });
    const [first, second] = [await idOf(send({ expires_in: 60 })), await idOf(send())];
    await api.store.updateTable('sending_limits').set({ day_started: 0 }).execute();
    const none = { minute: 9, hour: 9, day: 0 };
    expect(await due(LATER, none)).toEqual([]);
    const one = await idOf(api.post('/emails', theirs, { token: other, key: 'k' }));
    expect(await due(LATER, { ...none, day: 1 })).toHaveLength(2);
    expect(await outbox()).toEqual([`deliver-email/${first}`, `deliver-email/${one}`].sort());
    expect(await due('2026-03-02T12:59:00Z', none)).toEqual([]);
    // It only bounces.
    expect(await due('2026-03-02T13:00:00Z', none)).toEqual([`deliver-email/${second}`]);
  });

  test('counts when it is accepted, and bounces then if the address is suppressed already', async () => {
    await api.put('/accounts/acme/limits', { day: 2 }, OPERATOR_TOKEN);
    await api.put('/suppressions/gone%40recipient.test', {});
    const id = await idOf(send({ recipient: 'gone@recipient.test' }));
    expect(await get(id)).toMatchObject({ status: 'bounced', bounce: { category: 'suppressed' } });
    expect(await due(LATER)).toEqual([]);
    expect([(await send()).statusCode, problemIn(await send())]).toEqual([202, [429, 'too_many_emails']]);
  });
});

describe('POST /emails/{id}/cancel', () => {
  test('ends the email as bounced, with one event and no hard bounce, and says the same again', async () => {
    const id = await idOf(send());
    const answer = await cancel(id);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { id, status: 'bounced', bounce: expect.objectContaining({ category: 'cancelled', permanent: false }) },
    ]);
    expect((await cancel(id)).json()).toEqual(answer.json());
    expect([await get(id), await events()]).toMatchObject([
      { status: 'bounced', bounce: { category: 'cancelled', permanent_for: null, attempt: null } },
      ['email.bounced'],
    ]);
    expect([await due(LATER), problemIn(await change(id, LATER))]).toEqual([[], [409, 'email_not_waiting']]);
    const account = (await api.get('/accounts/acme', OPERATOR_TOKEN)).json();
    expect(account).toMatchObject({ bounces: { delivered: 0, bounced: 0 } });
    expect((await api.get('/suppressions')).json()).toMatchObject({ data: [] });
  });

  test('is possible after its time until an attempt begins, and takes it out of the outbox', async () => {
    const [one, two] = [await idOf(send()), await idOf(send())];
    await due(LATER);
    expect([(await cancel(one)).statusCode, await outbox()]).toEqual([200, [`deliver-email/${two}`]]);
    expect(await beginAttempt(api.store, { emailId: one, holder: 'p', now: new Date() })).toEqual({
      status: 'bounced',
    });
    expect(await beginAttempt(api.store, { emailId: two, holder: 'p', now: new Date() })).toEqual({ number: 1 });
    expect(problemIn(await cancel(two))).toEqual([409, 'email_not_waiting']);
    expect(await get(two)).toMatchObject({ status: 'queued' });
  });

  test('ends an email without scheduled_at that waits, as that of a paused account does', async () => {
    const id = await idOf(send({ scheduled_at: undefined }));
    await api.post('/accounts/acme/pause', { reason: 'Spam.' }, { token: OPERATOR_TOKEN });
    expect((await cancel(id)).statusCode).toBe(200);
  });
});

describe('PATCH /emails/{id}', () => {
  test('moves the time and the expiry, to earlier and to later, until the time has come', async () => {
    const id = await idOf(send({ expires_in: 3_600 }));
    const moved = await change(id, '2026-03-20T12:00:00+01:00');
    expect([moved.statusCode, moved.json()]).toEqual([
      200,
      { id, status: 'queued', scheduled_at: '2026-03-20T11:00:00.000Z' },
    ]);
    expect([await get(id), await due(LATER)]).toMatchObject([{ expires_at: '2026-03-20T12:00:00.000Z' }, []]);
    expect((await change(id, '2026-03-01T12:30:00Z')).statusCode).toBe(200);
    expect(await due('2026-03-01T12:30:00Z')).toEqual([`deliver-email/${id}`]);
    expect(problemIn(await change(id, LATER))).toEqual([409, 'email_not_waiting']);
    expect((await cancel(id)).statusCode).toBe(200);
  });

  test('refuses what POST /emails refuses, and anything else', async () => {
    const id = await idOf(send());
    for (const [scheduledAt, code] of [
      ['2026-03-01T12:00:00Z', 'in_the_past'],
      ['2026-05-01T12:00:00Z', 'too_far_ahead'],
    ] as const)
      expect(problemIn(await change(id, scheduledAt))).toEqual([422, 'validation_failed', `/scheduled_at ${code}`]);
    api.clock.time = new Date('2026-03-11T12:00:00Z');
    const kept = await idOf(send({ scheduled_at: '2026-03-20T12:00:00Z' }));
    api.clock.time = new Date('2026-03-19T12:00:00Z');
    expect((await change(kept, '2026-04-10T12:00:00Z')).statusCode).toBe(200);
    const tooFar = await change(kept, '2026-04-10T12:00:01Z');
    expect([...problemIn(tooFar).slice(2), tooFar.json<{ errors: { detail: string }[] }>().errors[0]?.detail]).toEqual([
      '/scheduled_at too_far_ahead',
      'scheduled_at must be a time at most 30 days after the email was created; found 2026-04-10T12:00:01Z, and that was 2026-03-11T12:00:00.000Z. To send later, cancel this email and send a new one.',
    ]);
    expect(await get(kept)).toMatchObject({ scheduled_at: '2026-04-10T12:00:00.000Z' });
    for (const body of [{}, { scheduled_at: null }, { scheduled_at: LATER, subject: 'x' }])
      expect((await api.patch(`/emails/${id}`, body)).statusCode).toBe(422);
    const unscheduled = await idOf(send({ scheduled_at: undefined }));
    expect(problemIn(await change(unscheduled, '2026-03-20T12:00:00Z'))).toEqual([409, 'email_not_waiting']);
  });
});

describe('an email that the limits of its account keep after its time', () => {
  const none = { minute: 9, hour: 9, day: 0 };
  const kept = (time = LATER) => countKeptByLimits(api.store, new Date(time));

  test('is counted, can be moved and can be cancelled, and then no longer waits', async () => {
    const [first, moved, cancelled] = [await idOf(send()), await idOf(send({ expires_in: 60 })), await idOf(send())];
    expect(await kept('2026-03-01T12:59:59Z')).toBe(0);
    await api.store.updateTable('sending_limits').set({ day_started: 0 }).execute();
    expect([await due(LATER, none), await kept()]).toEqual([[], 3]);
    api.clock.time = new Date('2026-03-01T13:00:30Z');
    const answers = [await change(moved, '2026-03-01T15:00:00Z'), await cancel(cancelled)];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(await get(moved)).toMatchObject({ expires_at: '2026-03-01T15:01:00.000Z' });
    expect(await kept()).toBe(1);
    expect(await due(LATER, { ...none, day: 9 })).toEqual([`deliver-email/${first}`]);
    expect([await kept(), await kept('2026-03-01T15:00:00Z')]).toEqual([0, 1]);
    expect(await due('2026-03-01T15:00:00Z', { ...none, day: 9 })).toEqual([`deliver-email/${moved}`]);
  });
});

test('no other account, no key of another domain and none without the scope reaches a waiting email', async () => {
  const id = await idOf(send());
  const other = await api.openAccount('globex');
  const domainId = await api.verifiedDomain(api.token, 'other.test');
  const [bound, reading] = [
    await api.keyWith({ domain_id: domainId }),
    await api.keyWith({ scopes: ['read', 'manage'] }),
  ];
  for (const [by, status] of [
    [other, 404],
    [bound, 404],
    [reading, 403],
    [OPERATOR_TOKEN, 403],
  ] as const) {
    expect([(await cancel(id, by)).statusCode, (await change(id, LATER, by)).statusCode]).toEqual([status, status]);
  }
  expect(await get(id)).toMatchObject({ status: 'queued', scheduled_at: '2026-03-01T13:00:00.000Z' });
  expect((await cancel('eml_none')).statusCode).toBe(404);
});
