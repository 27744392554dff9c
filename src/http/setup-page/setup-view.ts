import type { DnsOperator } from '../../onboarding/dns-operators/dns-operator.ts';
import type { RecordForm } from '../../onboarding/dns-operators/record-form.ts';
import type { DnsRecord, RecordFinding } from '../../onboarding/dns-record.ts';
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
  readonly operator: Pick<DnsOperator, 'name' | 'manual'> | null;
  /** The DNS operator of the name servers, also while the general form is shown. */
  readonly recognized: string | null;
  /** In the order of the page: required ones first. */
  readonly records: readonly SetupRecord[];
  /** The name servers of the zone in the last check; empty until one has answered. */
  readonly nameServers: readonly Readonly<NonNullable<DnsRecord['nameServers']>[number]>[];
  readonly checkedAt: string | null;
  /** Null unless another check is planned. */
  readonly nextCheckAt: string | null;
  /** When the time to publish the records is over; null once it no longer counts. */
  readonly deadline: string | null;
  /** Whether "check now" has an effect. */
  readonly mayCheck: boolean;
  readonly end: SetupEnd | null;
}

type RecordFields = 'purpose' | 'type' | 'name' | 'host' | 'value' | 'required' | 'status';

export interface SetupRecord extends Readonly<Pick<DnsRecord, RecordFields>> {
  /** As it is entered in the operator's form. */
  readonly form: RecordForm;
  /** Whether its fields are to be entered; false if it is right, or if what is wrong is elsewhere or passes by itself. */
  readonly needsEntry: boolean;
  /** The values in the zone instead, shortened to what a person reads. Not only at the name: a record may be in the wrong place. */
  readonly found: readonly string[];
  /** The findings of the last check, each with its remedy in English. */
  readonly problems: readonly RecordFinding[];
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
