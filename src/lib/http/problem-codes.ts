// The error codes of both HTTP APIs: one meaning each. docs/http-api.md shows this table.

type Program = 'orchestrator' | 'email service';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** When it is answered; a sentence. */
  readonly when: string;
  /** The caller's next step; a sentence. */
  readonly remedy: string;
  /** @default both */
  readonly only?: Program;
}

const SEND_AGAIN = 'Send the request again after Retry-After.';

export const problemCodes = {
  malformed_json: {
    status: 400,
    title: 'The body is not JSON',
    when: 'The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.',
    remedy: 'Send one JSON object.',
  },
  malformed_request: {
    status: 400,
    title: 'The request is malformed',
    when: 'The URL or a header cannot be read.',
    remedy: 'Percent-encode the path; check the headers.',
  },
  idempotency_key_required: {
    status: 400,
    title: 'The Idempotency-Key header is missing',
    when: 'POST /emails or POST /emails/batch has no Idempotency-Key, so repeating it could send twice.',
    remedy: 'Send a key that is new for every email and the same for every repeat of it.',
    only: 'email service',
  },
  idempotency_key_malformed: {
    status: 400,
    title: 'The Idempotency-Key header is malformed',
    when: 'The Idempotency-Key is not 1 to 255 visible ASCII characters, bare or as a quoted string.',
    remedy: 'Send a UUID, for example.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The bearer token is not valid',
    when: 'The Authorization header is missing, or its token is malformed, unknown, revoked or expired.',
    remedy: 'Send `Authorization: Bearer` with the API token or API key of this program.',
  },
  invalid_signature: {
    status: 401,
    title: 'The webhook signature is not valid',
    when: "The webhook is not signed with the tenant's secret, or is more than 5 minutes old.",
    remedy: 'Sign with the secret of this webhook and send it again. Until then, the onboarding relies on polling.',
    only: 'orchestrator',
  },
  insufficient_scope: {
    status: 403,
    title: 'The credential does not cover this call',
    when: 'The API key lacks the scope of the call, names another account or would create a key that may do more or longer than itself, or the operator token was used for anything but API keys, accounts, erasures and lists.',
    remedy: 'Use an API key of the account that has the scope named in `detail`.',
    only: 'email service',
  },
  account_paused: {
    status: 403,
    title: 'The account is paused',
    when: 'The operator or the bounce rate of the account has paused it; `detail` has the reason. What was accepted before waits.',
    remedy: 'Resolve the reason with the operator, who resumes the account. Do not retry in a loop.',
    only: 'email service',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    when: 'Nothing has this ID in the account or tenant, or the API has no such path.',
    remedy: 'Check the ID and the path.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method',
    when: 'The path exists with other methods.',
    remedy: 'Use a method that the Allow header lists.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    when: 'The headers did not arrive within 15 seconds, or the request within 30 seconds.',
    remedy: 'Send the request again.',
  },
  already_exists: {
    status: 409,
    title: 'The resource already exists',
    when: 'The account already has this domain or sender; `existing_id` names it.',
    remedy: 'Use the existing one, or delete it first.',
    only: 'email service',
  },
  emails_queued: {
    status: 409,
    title: 'Emails to the address are queued',
    when: 'POST /erasures names an address, and emails to it or to other recipients of the same message are still queued; `detail` has the number of each. Nothing was erased.',
    remedy: 'Repeat it when they are delivered or bounced.',
    only: 'email service',
  },
  email_not_waiting: {
    status: 409,
    title: 'The email no longer waits',
    when: 'An email is to be cancelled, but an attempt to deliver it has begun, or it has its final status; or its `scheduled_at` is to be changed, but that time has come, or it has none.',
    remedy: '`GET /emails/{id}` shows what becomes of it.',
    only: 'email service',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still in progress',
    when: 'A request with the same Idempotency-Key has not been answered yet.',
    remedy: SEND_AGAIN,
    only: 'email service',
  },
  onboarding_differs: {
    status: 409,
    title: 'The tenant has an onboarding with another input',
    when: 'The onboarding of this tenant was started with another input; `fields` names the differing fields.',
    remedy:
      'Send the first input, or start a new onboarding with `POST /onboardings/{tenantId}/restart` when the first has ended.',
    only: 'orchestrator',
  },
  onboarding_undoing: {
    status: 409,
    title: 'The undo of the last onboarding is running',
    when: 'The onboarding of this tenant has failed or was cancelled, and its undo has not ended.',
    remedy: 'Start it again after the notification `onboarding.undo_ended`, or when `outcome` is no longer `running`.',
    only: 'orchestrator',
  },
  update_refused: {
    status: 409,
    title: 'The onboarding refused the request',
    when: 'The onboarding has ended, does not wait for its domain, may not be extended further, or has no email to release.',
    remedy: 'Read `detail`, and the stage of the onboarding.',
    only: 'orchestrator',
  },
  api_key_claimed: {
    status: 409,
    title: 'The API token was already claimed',
    when: "The tenant's API token was handed out before; `claimed_at` and `claimed_by` say when and to whom.",
    remedy: 'Ask the one who claimed it, or create another API key at the provider.',
    only: 'orchestrator',
  },
  api_key_not_claimable: {
    status: 409,
    title: 'There is no API token to claim',
    when: 'The onboarding has not ended, was terminated, or its undo revoked the key; or its provider gives tenants none.',
    remedy: 'Claim it when `outcome` is `onboarded`.',
    only: 'orchestrator',
  },
  check_differs: {
    status: 409,
    title: 'Another check of the producer is running',
    when: 'A check of this producer is running with another input; `fields` names the differing fields.',
    remedy: 'Send the request again when the running check has ended.',
    only: 'orchestrator',
  },
  onboarding_gone: {
    status: 410,
    title: 'The onboarding has already ended',
    when: 'A webhook arrived for a tenant whose onboarding has ended.',
    remedy: 'Stop delivering to this URL.',
    only: 'orchestrator',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    when: 'The body has more bytes than this call accepts.',
    remedy: 'Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not declared as JSON',
    when: 'Content-Type is not application/json, or the body has a Content-Encoding.',
    remedy: 'Send the body unencoded with `Content-Type: application/json`.',
  },
  expectation_failed: {
    status: 417,
    title: 'The expectation cannot be met',
    when: 'The Expect header asks for something other than 100-continue.',
    remedy: 'Leave the Expect header out.',
  },
  validation_failed: {
    status: 422,
    title: 'Some fields are not valid',
    when: 'The request can be read but breaks a rule; `errors` names each field and what is wrong with it.',
    remedy: 'Correct the fields.',
  },
  domain_not_verified: {
    status: 422,
    title: 'The domain is not verified',
    when: 'A sender, an email or a new DKIM key needs a domain that is registered and verified.',
    remedy: 'Wait until the domain is verified; do not retry in a loop.',
    only: 'email service',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    when: 'The Idempotency-Key belongs to an earlier request with another method, path or body; `existing_id` names what that request created.',
    remedy: 'Use a new key for a new request.',
    only: 'email service',
  },
  too_many_checks: {
    status: 429,
    title: 'The onboarding has had too many checks on request',
    when: 'An onboarding may have 30 checks on request at once and one more each hour; `detail` and Retry-After name the time of the next.',
    remedy: 'Wait for its own checks, or send the request again after Retry-After.',
    only: 'orchestrator',
  },
  too_many_emails: {
    status: 429,
    title: 'The account sends more than it may',
    when: 'The account has sent as many emails as it may in a minute, an hour or a day; `detail` names the limit, and Retry-After and RateLimit when it ends. Or so many requests of the account wait in this process that this one would wait for more than five seconds. Without Retry-After, the request alone has more emails than a limit allows.',
    remedy:
      'Send the request again after Retry-After, with the same Idempotency-Key. Without Retry-After, split it. The operator can raise the limit.',
    only: 'email service',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    when: 'The request line and headers together are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    title: 'Unexpected error',
    when: 'The program failed unexpectedly; its log has the cause under the request ID.',
    remedy: 'Contact the operator with the request ID.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    when: 'The database or Temporal cannot be used at the moment.',
    remedy: SEND_AGAIN,
  },
  too_many_large_requests: {
    status: 503,
    title: 'Too many large requests are under way',
    when: 'POST /emails or POST /emails/batch has a body of more than a megabyte, or of unknown length, and for 10 seconds this process had as many of them as it can hold, or it arrived with less than 1 MB a second while another account waited.',
    remedy: SEND_AGAIN,
    only: 'email service',
  },
  too_many_streams: {
    status: 503,
    title: 'Too many event streams are open',
    when: 'This server has 200 open streams of events.',
    remedy: 'Close some, or read from another server.',
    only: 'orchestrator',
  },
  temporal_not_set_up: {
    status: 503,
    title: 'Temporal is not set up for sendoff',
    when: 'The Namespace or a Search Attribute is missing.',
    remedy: 'Run `sendoff setup`.',
    only: 'orchestrator',
  },
  notifications_off: {
    status: 503,
    title: 'Notifications to the backend are turned off',
    when: '`SENDOFF_NOTIFICATION_URL` is not set.',
    remedy: 'Set it and `SENDOFF_NOTIFICATION_SECRET` for the server and its Workers.',
    only: 'orchestrator',
  },
  agents_md_off: {
    status: 503,
    title: 'The AGENTS.md check is turned off',
    when: '`AGENTS_MD_CONTACT` is not set.',
    remedy: 'Set it for the server and its Workers.',
    only: 'orchestrator',
  },
  no_worker_answered: {
    status: 504,
    title: 'No Worker answered in time',
    when: 'No Worker of the onboardings answers, or the onboarding did not execute the request within its time; it may still do so.',
    remedy:
      'Start a Worker if none answers; otherwise see with `sendoff status` what the onboarding waits for. Read `deadline` before you extend again.',
    only: 'orchestrator',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof problemCodes;

export const codesOf = (program: Program): ProblemCode[] =>
  (Object.keys(problemCodes) as ProblemCode[]).filter((code) => {
    const { only = program }: ProblemKind = problemCodes[code];
    return only === program;
  });
