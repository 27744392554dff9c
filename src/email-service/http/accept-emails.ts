// What POST /emails and POST /emails/batch accept: everything of a request in one transaction, with one message for each recipient.
import type { FastifyRequest } from 'fastify';
import { ProblemError, refusal } from '../../lib/http/problem.ts';
import { accountCaller, marksOf, readableBy, refuseMissingScopes } from '../auth/authentication.ts';
import { maySend } from '../resources/domain.ts';
import { emailResource } from '../resources/email.ts';
import { insertEmails, type ReadableEmails } from '../store/emails.ts';
import type { ErasureMarks } from '../store/erasure-marks.ts';
import { activeWebhooks, recordEvent } from '../store/events.ts';
import type { StoreTransaction } from '../store/open-store.ts';
import { addFirstAttempts, type Commit, type FirstAttempt, firstDelivery } from '../store/outbox.ts';
import type { EmailTable } from '../store/schema.ts';
import { noteCount } from '../store/scheduled-emails.ts';
import { countEmails, inEachWindow } from '../store/sending-limits.ts';
import { findSenderWithDomain, type SenderWithDomain } from '../store/senders.ts';
import { findSuppressed, type Suppressed, suppressedForm, suppressionOf } from '../store/suppressions.ts';
import { type EmailRequest, type EmailToAccept, newEmails, recipientsOf } from './schemas/email-request.ts';
import type { ServiceParts } from './service-parts.ts';

export interface AcceptedEmails {
  /** The IDs of each request's emails, in the order of its recipients. */
  readonly ids: readonly (readonly string[])[];
  /** The email that the Idempotency-Key is kept for: of several, the one that is kept longest. */
  readonly keptFor: string;
  /** To begin after the commit. */
  readonly begins: readonly FirstAttempt[];
  readonly counted: Awaited<ReturnType<typeof countEmails>>;
}

/** Call it in the transaction with the Idempotency-Key. */
export async function acceptEmails(
  { sealer, settings, background, now }: Pick<ServiceParts, 'sealer' | 'settings' | 'background' | 'now'>,
  transaction: StoreTransaction,
  caller: FastifyRequest,
  emails: readonly EmailToAccept[],
): Promise<AcceptedEmails> {
  const readable = { ...readableBy(caller), marks: marksOf(sealer, caller) };
  const { accountId } = readable;
  const { sent, suppressed } = await findSenders(transaction, readable, emails);
  const accepted = sent.map(({ email, sender }) => newEmails(accountId, sender, email, { suppressed, now: now() }));
  const made = accepted.flatMap(({ rows }) => rows);
  const keptFor = made.reduce((longest, row) => (row.expires_at > longest.expires_at ? row : longest)).id;
  const rows = made.length === 1 ? made : made.map((row) => ({ ...row, request_id: keptFor }));
  await insertEmails(
    transaction,
    rows,
    accepted.flatMap(({ shared }) => (shared === undefined ? [] : [shared])),
    accepted.flatMap(({ attachments }) => (attachments === undefined ? [] : [attachments])),
  );
  const commit = { now: now(), claimed: background.makesFirstAttempts };
  const leaving = rows.filter(({ status, held_until: heldUntil }) => status === 'queued' && heldUntil === null);
  const begins = [
    ...(await addFirstAttempts(transaction, leaving.map(firstDelivery), commit)),
    ...(await bounce(transaction, accountId, rows, commit)),
  ];
  const counted = await countEmails(transaction, accountId, settings.sendingLimits, inEachWindow(rows.length));
  const scheduled = rows.flatMap(({ id, held_until: heldUntil }) => (heldUntil === null ? [] : [id]));
  if (scheduled.length > 0) await noteCount(transaction, scheduled);
  return { ids: accepted.map((each) => each.rows.map(({ id }) => id)), keptFor, begins, counted };
}

/** Those to suppressed recipients. @returns the posts of the webhooks that hear of them */
async function bounce(
  transaction: StoreTransaction,
  accountId: string,
  rows: readonly EmailTable[],
  { now, claimed }: Commit,
): Promise<readonly FirstAttempt[]> {
  const bounced = rows.filter(({ status }) => status === 'bounced');
  if (bounced.length === 0) return [];
  const webhooks = await activeWebhooks(transaction, accountId);
  const posts: FirstAttempt[] = [];
  for (const row of bounced) {
    const event = { accountId, type: 'email.bounced' as const, emailId: row.id, resource: emailResource(row, []) };
    posts.push(...(await recordEvent(transaction, { ...event, now, claimed }, webhooks)).posts);
  }
  return posts;
}

/** An override risks the reputation of all that send from here, so the right to send is not enough. */
export function refuseOverride(request: FastifyRequest, { suppression_override: override }: EmailRequest): void {
  if (override !== undefined) refuseMissingScopes(accountCaller(request).scopes, ['manage'], 'suppression_override');
}

/** One query for each sender and one for all recipients, however many emails they have. */
async function findSenders(
  transaction: StoreTransaction,
  caller: ReadableEmails & { readonly marks: ErasureMarks },
  emails: readonly EmailToAccept[],
): Promise<{
  readonly sent: readonly { readonly email: EmailToAccept; readonly sender: SenderWithDomain }[];
  readonly suppressed: ReadonlyMap<string, Suppressed>;
}> {
  const { accountId, marks } = caller;
  const recipients = emails.flatMap(({ request }) => recipientsOf(request)).map(({ address }) => address);
  const [recipient = '', ...others] = recipients;
  const suppressed = new Map(await findSuppressed(transaction, accountId, others, marks));
  const senders = new Map<string, SenderWithDomain>();
  const sent = [];
  for (const email of emails) {
    const { sender_id: senderId } = email.request;
    const sender =
      senders.get(senderId) ?? (await findSenderWithDomain(transaction, accountId, { senderId, recipient, marks }));
    refuseUnusable(sender, caller, email);
    senders.set(senderId, sender);
    const first = suppressionOf(sender, null);
    if (first !== undefined) suppressed.set(suppressedForm(recipient), first);
    sent.push({ email, sender });
  }
  return { sent, suppressed };
}

function refuseUnusable(
  sender: SenderWithDomain | undefined,
  { domainId: boundTo }: ReadableEmails,
  { request: { sender_id: senderId }, pointer }: EmailToAccept,
): asserts sender is SenderWithDomain {
  if (sender === undefined || (boundTo !== undefined && sender.domain_id !== boundTo)) {
    const scope = boundTo === undefined ? 'This account' : `The domain ${boundTo}, which this API key is bound to,`;
    const detail = `${scope} has no sender with the id ${JSON.stringify(senderId)}. Create one with POST /senders.`;
    throw refusal([{ pointer: `${pointer}/sender_id`, code: 'sender_not_found', detail }]);
  }
  const { domain_id: domainId, domain_name: domain } = sender;
  if (sender.domain_deleted_at !== null) {
    const detail = `The domain ${domain} of this sender was deleted. Register and verify the domain, then create the sender again.`;
    throw notVerified(detail, pointer);
  }
  if (!maySend(sender.domain_status)) {
    const detail = `The domain ${domain} of this sender is not verified. GET /domains/${domainId} shows which records to publish; POST /domains/${domainId}/verify checks them.`;
    throw notVerified(detail, pointer);
  }
}

/** Of a batch, names the email. */
const notVerified = (detail: string, pointer: string): ProblemError =>
  new ProblemError(
    'domain_not_verified',
    detail,
    pointer === '' ? {} : { errors: [{ pointer: `${pointer}/sender_id`, code: 'domain_not_verified', detail }] },
  );
