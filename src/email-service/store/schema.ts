// The tables of the email service. Times are RFC 3339 text in UTC, which sorts the same on every database.
import type { Generated } from 'kysely';

export interface Schema {
  accounts: AccountTable;
  account_outcomes: AccountOutcomesTable;
  erasures: ErasureTable;
  mta_sts_policies: MtaStsPolicyTable;
  api_keys: ApiKeyTable;
  sending_limits: SendingLimitsTable;
  idempotency_keys: IdempotencyKeyTable;
  domains: DomainTable;
  senders: SenderTable;
  shared_contents: SharedContentTable;
  attachment_chunks: AttachmentChunkTable;
  emails: EmailTable;
  email_tags: EmailTagTable;
  suppressions: SuppressionTable;
  delivery_attempts: DeliveryAttemptTable;
  webhooks: WebhookTable;
  events: EventTable;
  webhook_deliveries: WebhookDeliveryTable;
  outbox: OutboxTable;
}

export interface AccountTable {
  id: string;
  /** The caller's name for the account (the tenant id). */
  name: string;
  /** The number of the account's newest event. */
  last_event_number: Generated<number>;
  created_at: string;
  /** Null unless it is paused, as the next two. */
  paused_at: string | null;
  paused_by: string | null;
  pause_reason: string | null;
  /** When its owner was last warned that its bounces will pause it. */
  bounce_warned_at: string | null;
  /** When it was last resumed: what was delivered before counts no more. */
  resumed_at: string | null;
  /** The key of `erasureMarks`. From the start, so that a request under way at the first erasure knows what becomes of its key. */
  sealed_erasure_key: string;
}

export type Account = Omit<AccountTable, 'last_event_number'>;

/** The last MTA-STS policy that was fetched of a receiving domain (RFC 8461). */
interface MtaStsPolicyTable {
  /** In lower case. */
  domain: string;
  /** The ID in its DNS record. */
  policy_id: string;
  mode: 'enforce' | 'testing' | 'none';
  /** JSON: string[], patterns of names of MX hosts. */
  mx: string;
  fetched_at: string;
  expires_at: string;
}

/** The audit of POST /erasures, without the address. */
export interface ErasureTable {
  id: string;
  account_id: string;
  /** The mark of the address, by `erasureMarks`. */
  address_mark: string;
  /** The id of an API key, or the name of an operator token. */
  requested_by: string;
  requested_at: string;
  /** Null while it is under way, or was cut off: the next call for the address continues it. */
  finished_at: string | null;
  /** How many rows were erased so far, as the next four. */
  emails: Generated<number>;
  attempts: Generated<number>;
  events: Generated<number>;
  suppressions: Generated<number>;
  idempotency_keys: Generated<number>;
}

/** Of one hour of an account: emails that were delivered, or bounced for good because of their address. */
interface AccountOutcomesTable {
  account_id: string;
  /** The hour of the day. */
  slot: number;
  /** Since 1970. */
  hour: number;
  delivered: number;
  bounced: number;
}

export interface ApiKeyTable {
  id: string;
  account_id: string;
  name: string | null;
  token_sha256: string;
  last_four: string;
  created_at: string;
  revoked_at: string | null;
  /** JSON: Scope[]; null for every scope. */
  scopes: string | null;
  /** The key that created it; null if the operator did. */
  parent_id: string | null;
  /** The only domain from whose senders it may send, and whose emails it may read; null for all of the account. */
  domain_id: string | null;
  /** Null if it never expires. */
  expires_at: string | null;
  /** At most `USE_RESOLUTION_MS` older than its last use; null if it was never used. */
  last_used_at: string | null;
}

/** How many emails an account may send, and has sent, in each window; absent until it sends or gets limits of its own. */
export interface SendingLimitsTable {
  account_id: string;
  /** Null for the default. */
  minute_limit: number | null;
  /** Milliseconds by the database's clock: when the window began. */
  minute_started: Generated<number>;
  minute_count: Generated<number>;
  hour_limit: number | null;
  hour_started: Generated<number>;
  hour_count: Generated<number>;
  day_limit: number | null;
  day_started: Generated<number>;
  day_count: Generated<number>;
}

export interface IdempotencyKeyTable {
  /** An account's id; an API key's for POST /api-keys; `operator` for calls made with the operator token. */
  owner: string;
  /** After an erasure its mark, as the fingerprint: `erasureMarks`. */
  key: string;
  /** A hash of method, path and canonical body: keyed, because a reader of only the database could test guesses; SHA-256 of the operator's. */
  fingerprint: string;
  response_status: number;
  /** JSON without the one-time secret. */
  response_body: string;
  /** Null if the response has no one-time secret. */
  sealed_secret: string | null;
  /** After this the secret is not replayed. */
  secret_expires_at: string | null;
  created_at: string;
  /** ID of the email that the request created, while the database has it: the key is kept as long. */
  email_id: string | null;
}

export interface DomainTable {
  id: string;
  account_id: string;
  name: string;
  status: 'pending' | 'verified' | 'temporary_failure' | 'not_verified';
  dkim_selector: string;
  sealed_dkim_private_key: string;
  /** The key of a rotation, which signs once its record is found. */
  next_dkim_selector: string | null;
  sealed_next_dkim_private_key: string | null;
  return_path_domain: string;
  /** The security that its emails need of a connection. */
  tls: 'opportunistic' | 'required';
  /** JSON: DomainRecord[]. */
  records: string;
  created_at: string;
  /** The time of the first verification. */
  verified_at: string | null;
  /** When a check found a required record lost, and how long the domain sends nevertheless; null unless one is. */
  drifted_at: string | null;
  sends_until: string | null;
  last_checked_at: string | null;
  /** When the sweep begins a check; null while the domain is pending. */
  next_check_at: string | null;
  deleted_at: string | null;
}

export interface SenderTable {
  id: string;
  account_id: string;
  domain_id: string;
  from_address: string;
  name: string | null;
  created_at: string;
  deleted_at: string | null;
}

/** Of an email to several recipients, each of which has a row in `emails`. Kept until the content of each is erased. */
export interface SharedContentTable {
  /** The id of the first of these emails. */
  id: string;
  /** JSON: string[]; the addresses of the header field. */
  to_recipients: string;
  /** JSON: string[]. */
  cc_recipients: string;
  body: string;
  html: string | null;
  /** JSON: Record<string, string>. */
  headers: string;
}

/** A part of an attachment, as the message has it: base64 in lines. Kept while `attachments` of an email names it. */
interface AttachmentChunkTable {
  /** As the shared content, or the id of the only email. */
  content_id: string;
  /** 0, 1, 2 … over all attachments of the email. */
  number: number;
  lines: string;
}

export interface EmailTable {
  id: string;
  account_id: string;
  sender_id: string;
  /** The shared content, with which `body`, `html` and `headers` are empty; null if the email has no other recipient. */
  content_id: string | null;
  /** Where the header of the message has the recipient; null if there is no other. */
  role: 'to' | 'cc' | 'bcc' | null;
  /** The email that the Idempotency-Key of the request names; null if that created no other email. */
  request_id: string | null;
  recipient: string;
  /** In lower case, to find emails by it. */
  recipient_domain: string;
  subject: string;
  body: string;
  html: string | null;
  /** JSON: Record<string, string>. */
  headers: string;
  /** JSON: EmailAttachment[], without the contents; null if it has none, and once they are erased. */
  attachments: string | null;
  /** JSON: Record<string, string>. */
  metadata: string;
  /** JSON: string[]; to be shown. `email_tags` has them to find emails by. */
  tags: string;
  status: 'queued' | 'delivered' | 'bounced';
  message_id: string;
  /** Sent by every attempt, with a place for each attachment; null until the first attempt composed it. */
  signed_message: string | null;
  /** JSON: Bounce. */
  bounce: string | null;
  created_at: string;
  /** When its first attempt is due; null if that is at once. */
  scheduled_at: string | null;
  /** When the sweep adds it to the outbox; null once it has, and if it was there from the beginning. */
  held_until: string | null;
  /** Milliseconds by the database's clock: when a scheduled email was accepted, and counted; null of any other. */
  counted_at: number | null;
  expires_at: string;
  delivered_at: string | null;
  /** When `body`, `html`, `headers` and `signed_message` were emptied; null while they are kept. */
  content_erased_at: string | null;
  /** Why it is sent although the address may be suppressed; null if a suppression holds. */
  suppression_override: string | null;
  /** JSON: LateBounce. Null unless a server reported it after another had accepted the email. */
  late_bounce: string | null;
  /** JSON: EmailComplaint. */
  complaint: string | null;
  /** When its recipient was erased: what names or describes the person is then empty. */
  erased_at: string | null;
}

export type EmailRecipient = Pick<EmailTable, 'id' | 'recipient' | 'role' | 'status'>;

/** Without the content and its signed form, which can be megabytes. */
export const summaryColumns = [
  'id',
  'account_id',
  'sender_id',
  'content_id',
  'role',
  'recipient',
  'subject',
  'metadata',
  'tags',
  'status',
  'message_id',
  'bounce',
  'created_at',
  'scheduled_at',
  'expires_at',
  'delivered_at',
  'suppression_override',
  'late_bounce',
  'complaint',
  'erased_at',
] as const satisfies readonly (keyof EmailTable)[];

export type EmailSummary = Pick<EmailTable, (typeof summaryColumns)[number]>;

interface EmailTagTable {
  email_id: string;
  tag: string;
  /** The email's. */
  account_id: string;
}

export interface SuppressionTable {
  id: string;
  account_id: string;
  /** In lower case; after an erasure its mark, by `erasureMarks`. */
  address: string;
  cause: 'bounce' | 'complaint' | 'manual';
  reason: string;
  /** The email that caused it, which may have left the database. */
  email_id: string | null;
  created_at: string;
}

export interface DeliveryAttemptTable {
  email_id: string;
  /** 1 for the first. */
  number: number;
  /** `unknown`: the connection was lost before the server confirmed or refused the message. */
  outcome: 'started' | 'delivered' | 'deferred' | 'bounced' | 'unknown';
  remote_mta: string | null;
  reply_code: number | null;
  enhanced_status_code: string | null;
  diagnostic: string | null;
  /** JSON: AttemptTls. Null without TLS. */
  tls: string | null;
  started_at: string;
  finished_at: string | null;
  /** The process that makes the attempt. */
  lease_holder: string;
  /** Milliseconds by the database's clock. Until then no other process may begin an attempt. */
  lease_until: number;
}

export interface WebhookTable {
  id: string;
  account_id: string;
  url: string;
  /** JSON: string[] of event types. */
  events: string;
  sealed_signing_secret: string;
  created_at: string;
  /** Set after the receiver answered 410. */
  disabled_at: string | null;
  deleted_at: string | null;
}

export interface EventTable {
  id: string;
  account_id: string;
  /** 1, 2, 3 … per account, without gaps. */
  number: number;
  type: string;
  /** The ID of the email that the event is about, if any. */
  email_id: string | null;
  /** JSON: the resource as the API showed it. */
  data: string;
  /** Of the email, in lower case, once the retention has removed it: an erasure finds the event by it. Null before, and once erased. */
  recipient: string | null;
  created_at: string;
}

interface WebhookDeliveryTable {
  event_id: string;
  webhook_id: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  last_status_code: number | null;
  last_error: string | null;
  created_at: string;
  finished_at: string | null;
}

/** Work to do: deleted after the first attempt has ended it, or Temporal has acknowledged the start of its Workflow. */
export interface OutboxTable {
  /** Without the installation id, which the dispatcher adds. */
  workflow_id: string;
  workflow_type: string;
  /** JSON: the Workflow's argument; only ids, never a secret. */
  input: string;
  /** Or until when the row is held, while its account is paused. */
  created_at: string;
  /** Milliseconds by the database's clock: until then the process that claimed the row makes the first attempt or starts the Workflow. */
  claimed_until: number | null;
  /** Milliseconds by the database's clock: when the next attempt is due. */
  not_before: number | null;
}
