import type { EmailProvider } from '../email-provider/email-provider.ts';
import type { ZoneRecord } from '../dev/world/zone-record.ts';
import type { ActivityDependencies } from '../activities/activity-dependencies.ts';
import type { ProviderEvent } from '../onboarding/provider-event.ts';
import type { DnsRecord } from '../onboarding/dns-record.ts';
import type { ProviderName } from '../onboarding/provider-name.ts';
import type { StepRow } from '../onboarding/steps.ts';
import type { Mark, OperatorAccount } from '../email-provider/operator-account.ts';

/**
 * What answers a case. `embedded`: our email service, with a DNS server and a mail receiver; it shows nothing of others. `fake`: a simulated
 * provider; it does not show that the real one behaves so. `live`: the provider.
 */
export type TargetKind = 'embedded' | 'fake' | 'live';

export type Resource = 'accounts' | StepRow['listedIn'];
/** How many there are of a tenant. Absent: the far end cannot be asked for it. */
export type Held = Readonly<Partial<Record<Resource, number>>>;

/** What a case needs cannot be had at this target. */
export class NotProven extends Error {
  override readonly name = 'NotProven';
}

export interface TenantAtFarEnd {
  readonly tenantId: string;
  readonly mark: Mark;
  readonly domain: string;
  readonly recipient: string;
}

/** How a test recipient's email ends. */
export type EmailEnding = 'delivered' | 'bounced' | 'suppressed' | 'deferred';

/** What a case makes a simulated provider do; absent: it has nothing of the kind. */
interface FakePowers {
  setDomainStatus(domain: string, status: 'failed' | 'pending'): void;
  /** How many requests so far have started a check of the DNS. */
  verifications?(): number;
  /** As a person does in the dashboard, as is the next one. */
  deleteDomain(domain: string): void;
  revokeKeys?(mark: Mark): void;
  /** Whether the provider itself refuses a sender of a domain that is not verified. */
  readonly refusesUnverifiedSender?: boolean;
}

export interface FarEnd {
  readonly kind: TargetKind;
  /** Undefined: the embedded email service. */
  readonly provider: ProviderName | undefined;
  /** The URL of the provider's API. */
  readonly url: string;
  /** The adapter, with requests to this URL. */
  connect(url: string): Adapter;
  readonly checkRecords: ActivityDependencies['checkRecords'];
  /** The secret that must appear in no failure, event or log. */
  readonly credential: string;
  /** The resources that a tenant has after an onboarding. */
  readonly whole: Held;
  /** A domain on which tests can publish; the label is unique in this run. */
  domain(label: string): string;
  recipient(label: string, ending: EmailEnding): string | undefined;
  /** Called with each tenant before anything of it exists. */
  begin?(tenant: TenantAtFarEnd): void;
  publish(domain: string, records: readonly Pick<DnsRecord, 'type' | 'name' | 'value'>[]): Promise<void>;
  held(tenant: TenantAtFarEnd): Promise<Held>;
  readonly fake?: FakePowers;
  /** Receives what the provider's webhooks say, until the returned function is called. Absent: none is needed. */
  onEvents?(receive: (events: readonly ProviderEvent[]) => Promise<unknown>): () => void;
  /** Waits for what the far end does by itself. */
  pause(ms: number): Promise<void>;
  close(): Promise<void>;
}

type Adapter =
  | { readonly provider: EmailProvider & { close(): Promise<void> }; readonly account?: undefined }
  | { readonly provider?: undefined; readonly account: OperatorAccount };

/** What is the same for all simulated providers: the DNS on loopback, and the clock, which nothing waits for. */
export type FakeFarEnd = Omit<FarEnd, 'kind' | 'checkRecords' | 'publish' | 'domain' | 'recipient' | 'pause'> & {
  /** The settings of a Worker whose requests go to this URL. */
  settings(at: { readonly url: string; readonly requestsPerSecond: number }): Readonly<Record<string, string>>;
  /** Resolves once its webhooks have been posted. */
  settled?(): Promise<void>;
  /** The records that tenants' records refer to. */
  readonly zones: readonly ZoneRecord[];
};
