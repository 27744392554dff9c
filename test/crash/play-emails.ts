import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { domainZone, RECIPIENT_DOMAIN } from '../../src/dev/world/world-zones.ts';
import { type ShownRecord, toZoneRecords } from '../../src/dev/world/zone-record.ts';
import { openStore } from '../../src/email-service/store/open-store.ts';
import type { Deployment } from '../deployment/start-deployment.ts';

/** The account, beside those of the tenants, that sends during the kills. */
export const MAILER = 'mailer';
const DOMAIN = 'mailer.test';
const LOST_DOMAIN = 'lost.test';

/**
 * plain: leaves at once. attached: the same, with files. several: the same, to three recipients. batch: the same, in one of three emails. sandbox: the same, and bounces late without leaving. scheduled: a minute later. cancelled: the same, and is cancelled about then. moved: scheduled in an hour,
 * then for a minute later.
 */
const emailKinds = ['plain', 'attached', 'several', 'batch', 'sandbox', 'scheduled', 'cancelled', 'moved'] as const;
/** lost: its domain has been without its records for 72 hours when it is due. */
export type EmailKind = (typeof emailKinds)[number] | 'lost';

/** An email that the service has accepted. */
export interface PlayedEmail {
  readonly id: string;
  readonly kind: EmailKind;
  readonly recipient: string;
  /** Milliseconds since 1970: not before it. */
  readonly leavesAtMs: number;
  /** What the cancellation was answered, if there was one. */
  readonly cancellation: 'cancelled' | 'left' | undefined;
}

/** Several chunks of the database. */
const CONTENT = Buffer.alloc(400_000, 'attached').toString('base64');
const PAUSE_MS = 1_000;
const RETRY_PAUSE_MS = 500;
/** Longer than a killed email service needs to come up and be asked again: a time in the past is refused. */
const AHEAD_MS = 60_000;
/** After the email was accepted: about when it leaves. */
const CANCEL_AFTER_MS = [-1_000, 500, 4_000, 9_500].map((ms) => AHEAD_MS + ms);
/** Accepted before their domain loses its records, due after it. */
const LOST_EMAILS = 10;
const LOST_AHEAD_MS = 120_000;
const LOST_EXPIRES_S = 180;

/** Sends an email of each kind in turn until `signal` aborts, then lets the requests end that are under way, until `over` does. */
export async function playEmails(
  { emailService, world }: Pick<Deployment, 'emailService' | 'world'>,
  { signal, over }: { readonly signal: AbortSignal; readonly over: AbortSignal },
): Promise<readonly PlayedEmail[]> {
  const call = patientCall(emailService.url, over);
  const { token } = await call<{ token: string }>('POST', '/api-keys', emailService.operatorToken, { account: MAILER });

  async function openDomain(name: string) {
    const domain = await call<{ id: string; records: ShownRecord[] }>('POST', '/domains', token, { name });
    const records = [...domainZone(name), ...toZoneRecords(domain.records)];
    world.dns.publish(records);
    await untilStatus(domain.id, 'verified');
    const sender = await call<{ id: string }>('POST', '/senders', token, { from_address: `hello@${name}` });
    return { id: domain.id, senderId: sender.id, records: toZoneRecords(domain.records) };
  }

  async function untilStatus(domainId: string, wanted: string): Promise<void> {
    for (let status = ''; status !== wanted;) {
      await delay(PAUSE_MS, undefined, { signal: over });
      ({ status } = await call<{ status: string }>('GET', `/domains/${domainId}`, token));
    }
  }

  /** Hours pass in the database, and a check finds the domain without its records. */
  async function playLost(): Promise<readonly PlayedEmail[]> {
    const { id, senderId, records } = await openDomain(LOST_DOMAIN);
    const leavesAtMs = Date.now() + LOST_AHEAD_MS;
    const accepted: PlayedEmail[] = [];
    for (let number = 0; number < LOST_EMAILS; number += 1) {
      const recipient = `lost-${String(number)}@${RECIPIENT_DOMAIN}`;
      const email = { sender_id: senderId, recipient, subject: 'Lost', body: 'It must not leave.' };
      const due = { scheduled_at: new Date(leavesAtMs).toISOString(), expires_in: LOST_EXPIRES_S };
      const [emailId = ''] = await send({ ...email, ...due });
      accepted.push({ ...{ id: emailId, kind: 'lost', recipient, leavesAtMs }, cancellation: undefined });
    }
    for (const { name, type } of records) world.dns.withdraw(name, type);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const store = await openStore(emailService.databaseUrl);
    try {
      const lost = { status: 'temporary_failure', drifted_at: hoursAgo(73), sends_until: hoursAgo(1) } as const;
      await store
        .updateTable('domains')
        .set({ ...lost, next_check_at: hoursAgo(0) })
        .where('id', '=', id)
        .execute();
    } finally {
      await store.destroy();
    }
    await untilStatus(id, 'not_verified');
    if (Date.now() > leavesAtMs) throw new Error(`${LOST_DOMAIN} lost its records after its emails were due`);
    return accepted;
  }

  async function send(email: object): Promise<readonly string[]> {
    const { id, ids = [id] } = await call<{ id: string; ids?: string[] }>('POST', '/emails', token, email);
    return ids;
  }

  const sendBatch = async (emails: readonly object[]): Promise<readonly string[]> =>
    (await call<{ emails: { id: string }[] }>('POST', '/emails/batch', token, { emails })).emails.map(({ id }) => id);

  async function play(number: number): Promise<readonly PlayedEmail[]> {
    const kind = emailKinds[number % emailKinds.length] ?? 'plain';
    const recipient =
      kind === 'sandbox'
        ? `late-bounced+${String(number)}@sandbox.invalid`
        : `mail-${String(number)}@${RECIPIENT_DOMAIN}`;
    const isImmediate = kind !== 'scheduled' && kind !== 'cancelled' && kind !== 'moved';
    const leavesAtMs = Date.now() + (isImmediate ? 0 : AHEAD_MS);
    const [cc, bcc] = [`cc-${recipient}`, `bcc-${recipient}`];
    const scheduledAt = new Date(kind === 'moved' ? leavesAtMs + 3_600_000 : leavesAtMs).toISOString();
    const email = {
      ...{ sender_id: sender.senderId, recipient, subject: `Number ${String(number)}`, body: 'Here it is.' },
      ...(isImmediate ? {} : { scheduled_at: scheduledAt }),
      ...(kind === 'attached'
        ? { attachments: ['a.bin', 'b.bin'].map((filename) => ({ filename, content: CONTENT })) }
        : {}),
      ...(kind === 'several' ? { cc: [cc], bcc: [bcc] } : {}),
    };
    const ids =
      kind === 'batch'
        ? await sendBatch([email, { ...email, recipient: cc }, { ...email, recipient: bcc }])
        : await send(email);
    const [id = ''] = ids;
    if (kind === 'moved')
      await call('PATCH', `/emails/${id}`, token, { scheduled_at: new Date(leavesAtMs).toISOString() });
    const accepted = ids.map((each, index) => ({
      ...{ id: each, kind, recipient: [recipient, cc, bcc][index] ?? '', leavesAtMs, cancellation: undefined },
    }));
    if (kind !== 'cancelled') return accepted;
    await delay(CANCEL_AFTER_MS[Math.floor(number / emailKinds.length) % CANCEL_AFTER_MS.length], undefined, {
      signal: over,
    });
    const { code } = await call<{ code?: string }>('POST', `/emails/${id}/cancel`, token);
    return accepted.map((each) => ({ ...each, cancellation: code === undefined ? 'cancelled' : 'left' }));
  }

  const sender = await openDomain(DOMAIN);
  const plays = [playLost()];
  for (let number = 0; !signal.aborted; number += 1) {
    plays.push(play(number));
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return (await Promise.all(plays)).flat();
}

/** Repeats a request, with the same Idempotency-Key, until it is answered; a moved email may have been moved before. */
const patientCall =
  (url: string, over: AbortSignal) =>
  async <Answer>(method: 'GET' | 'POST' | 'PATCH', path: string, token: string, body?: object): Promise<Answer> => {
    const key = crypto.randomUUID();
    for (;;) {
      over.throwIfAborted();
      const answer = await request(`${url}${path}`, {
        ...{ method, signal: over },
        headers: {
          authorization: `Bearer ${token}`,
          ...(method === 'GET' ? {} : { 'idempotency-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
        .then(async ({ statusCode, body: sent }) => ({ statusCode, text: await sent.text() }))
        .catch(() => ({ statusCode: 0, text: '' }));
      const { code } = (answer.statusCode >= 400 && answer.statusCode < 500 ? JSON.parse(answer.text) : {}) as {
        code?: string;
      };
      if ((answer.statusCode >= 200 && answer.statusCode < 300) || code === 'email_not_waiting')
        return JSON.parse(answer.text) as Answer;
      if (code !== undefined && code !== 'idempotency_in_progress' && answer.statusCode !== 429)
        throw new Error(`${method} ${path} answered ${answer.text}`);
      await delay(RETRY_PAUSE_MS, undefined, { signal: over });
    }
  };
