import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { createTenant } from '../../src/dev/world/tenant.ts';
import { domainZone, RECIPIENT_DOMAIN } from '../../src/dev/world/world-zones.ts';
import { type ShownRecord, toZoneRecords } from '../../src/dev/world/zone-record.ts';
import { followAbort } from '../../src/lib/timing/follow-abort.ts';
import type { Deployment } from '../deployment/start-deployment.ts';

/** The account, beside those of the tenants, that sends during the kills. */
export const MAILER = 'mailer';
const DOMAIN = 'mailer.test';

/**
 * plain: leaves at once. attached: the same, with files. several: the same, to three recipients. batch: the same, in one of three emails. sandbox: the same, and bounces late without leaving. scheduled: some seconds later. cancelled: the same, and is cancelled about then. moved: scheduled in an hour,
 * then for some seconds later.
 */
const emailKinds = ['plain', 'attached', 'several', 'batch', 'sandbox', 'scheduled', 'cancelled', 'moved'] as const;
export type EmailKind = (typeof emailKinds)[number];

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
const AHEAD_MS = 20_000;
/** After the email was accepted: about when it leaves. */
const CANCEL_AFTER_MS = [19_000, 20_500, 24_000, 29_500];

/** Sends an email of each kind in turn until `signal` aborts, then lets the requests end that are under way, until `over` does. */
export async function playEmails(
  { emailService, world }: Pick<Deployment, 'emailService' | 'world'>,
  { signal, over }: { readonly signal: AbortSignal; readonly over: AbortSignal },
): Promise<readonly PlayedEmail[]> {
  const call = patientCall(emailService.url, over);
  const { token } = await call<{ token: string }>('POST', '/api-keys', emailService.operatorToken, { account: MAILER });
  const domain = await call<{ id: string; records: ShownRecord[] }>('POST', '/domains', token, { name: DOMAIN });
  const { dns } = world;
  const ended = followAbort(over);
  await createTenant({ dns, publishAfterMs: 0 }).publishLater(
    [...domainZone(DOMAIN), ...toZoneRecords(domain.records)],
    ended.signal,
  );
  for (let status = ''; status !== 'verified';) {
    await delay(PAUSE_MS, undefined, { signal: over });
    ({ status } = await call<{ status: string }>('GET', `/domains/${domain.id}`, token));
  }
  const sender = await call<{ id: string }>('POST', '/senders', token, { from_address: `hello@${DOMAIN}` });

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
      ...{ sender_id: sender.id, recipient, subject: `Number ${String(number)}`, body: 'Here it is.' },
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

  const plays: Promise<readonly PlayedEmail[]>[] = [];
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
