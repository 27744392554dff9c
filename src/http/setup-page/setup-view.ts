import type { RecordForm } from '../../onboarding/dns-operators/record-form.ts';
import type { FailureType } from '../../onboarding/failures.ts';

/**
 * Where the tenant stands, as the page says it.
 *
 * - `preparing`: the records are not known yet
 * - `waiting`: records are missing, and nothing wrong was found
 * - `wrong`: a required record has a definite mistake
 * - `unanswered`: a required record could not be checked, and none is missing
 * - `published`: every required record is right; the provider has not confirmed it yet
 * - `verified`: the domain is verified; the first email is on its way
 * - `delivered`: the end
 * - `drifted`: the end, but a required record is lost or wrong again
 * - `failed`, `cancelled`: the end, also while it is undone; `end` says why. A terminated onboarding, and an undo whose cause is not
 *   known, count as cancelled
 */
export const setupStates = [
  'preparing',
  'waiting',
  'wrong',
  'unanswered',
  'published',
  'verified',
  'delivered',
  'drifted',
  'failed',
  'cancelled',
] as const;
export type SetupState = (typeof setupStates)[number];

/**
 * The answer to "check now".
 *
 * - `checked`: the page shows the result
 * - `running`: the check has begun, and takes longer than the answer may
 * - `justChecked`: the last check is seconds old
 * - `refused`: nothing waits for a check, or this onboarding has had too many
 * - `unavailable`: the check could not be made
 */
export const checkNotices = ['checked', 'running', 'justChecked', 'refused', 'unavailable'] as const;
export type CheckNotice = (typeof checkNotices)[number];

/** The contents of the page of one tenant's onboarding; without its texts. Times are RFC 3339 UTC. */
export interface SetupView {
  readonly domain: string;
  /** Null until a name server has named it. */
  readonly zone: string | null;
  readonly state: SetupState;
  /** The DNS operator whose form the records are shown for; null for the general form. */
  readonly operator: { readonly name: string; readonly manual?: string } | null;
  /** The DNS operator of the name servers, also while the general form is shown. */
  readonly recognized: string | null;
  /** In the order of the page: required ones first. */
  readonly records: readonly SetupRecord[];
  /** The name servers of the zone in the last check; empty until one has answered. */
  readonly nameServers: readonly { readonly name: string; readonly answered: boolean }[];
  readonly checkedAt: string | null;
  /** Null unless another check is planned. */
  readonly nextCheckAt: string | null;
  /** When the time to publish the records is over; null once it no longer counts. */
  readonly deadline: string | null;
  /** Whether "check now" has an effect. */
  readonly mayCheck: boolean;
  readonly end: SetupEnd | null;
}

export interface SetupRecord {
  /** `dkim`, `spf`, `return_path`, `dmarc`, or another provider's word. */
  readonly purpose: string;
  /** `TXT`, `MX` or `CNAME`, or another provider's. */
  readonly type: string;
  /** Fully qualified, without the final dot. */
  readonly name: string;
  /** Relative to the zone, `@` for the zone itself. */
  readonly host: string;
  /** MX: `10 mx.example.net`. */
  readonly value: string;
  /** As it is entered in the operator's form. */
  readonly form: RecordForm;
  readonly required: boolean;
  readonly status: 'unchecked' | 'missing' | 'wrong' | 'found' | 'inconclusive';
  /** Whether its fields are to be entered; false if it is right, or if what is wrong is elsewhere or passes by itself. */
  readonly needsEntry: boolean;
  /** The values in the zone instead, shortened to what a person reads. Not only at the name: a record may be in the wrong place. */
  readonly found: readonly string[];
  readonly problems: readonly SetupProblem[];
}

/** One finding of the last check. */
export interface SetupProblem {
  /** See docs/dns-findings.md; or another provider's. */
  readonly code: string;
  /** Where it was seen; may differ from the record's name. */
  readonly name: string;
  /** The mistake and its remedy, in English, as the provider says it. No punctuation follows a host or value. */
  readonly fix: string;
  /** Whether the record's fields are to be entered. */
  readonly hasFields: boolean;
}

export interface SetupEnd {
  readonly type: FailureType | 'Cancelled' | 'Terminated';
  readonly at: string | null;
  /** Only of a timed out verification: whether the last check found a mistake. */
  readonly conclusive: boolean;
  /** Recipient of a bounced first email, and the answer of the recipient's server; otherwise empty. */
  readonly recipient: string;
  readonly reason: string;
}
