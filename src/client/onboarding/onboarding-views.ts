import type { ApiKeyClaims } from '../../store/onboarding/sql-api-key-claims.ts';
import type { ProviderIntents } from '../../store/onboarding/provider-intents.ts';
import type { Register, StoredRecord } from '../../store/onboarding/register.ts';
import type { WatchedDomains } from '../../store/upkeep/sql-watched-domains.ts';
import type { OnboardingExecutions } from './onboarding-executions.ts';
import { type OnboardingView, onboardingView } from './onboarding-view.ts';
import type { TemporalPresence } from '../temporal-presence.ts';
import type { TemporalUi } from '../temporal-ui.ts';

export type OnboardingViews = ReturnType<typeof createOnboardingViews>;

interface OnboardingViewsParts {
  readonly register: Register;
  readonly claims: Pick<ApiKeyClaims, 'find'>;
  readonly intents: Pick<ProviderIntents, 'releases'>;
  readonly watchedDomains: Pick<WatchedDomains, 'getAll'>;
  readonly executions: Pick<OnboardingExecutions, 'record'>;
  readonly presence: () => Promise<TemporalPresence>;
  readonly ui: TemporalUi;
}

/** Shows onboardings from the register, whether or not Temporal and its Workers answer. */
export function createOnboardingViews(parts: OnboardingViewsParts) {
  const { register, claims, intents, watchedDomains, executions, presence, ui } = parts;

  /** How to show these records, with what the other stores have of them. */
  async function showing(records: readonly StoredRecord[]): Promise<(record: StoredRecord) => OnboardingView> {
    const [claimed, released, watched, temporal] = await Promise.all([
      claims.find(records.map((record) => record.attemptId)),
      intents.releases(
        records.flatMap(({ tenantId, failure }) =>
          failure?.type === 'SendOutcomeUnknown' ? [{ tenantId, notedAt: failure.details.since }] : [],
        ),
      ),
      watchedDomains.getAll(records.map((record) => record.tenantId)),
      presence(),
    ]);
    const nowMs = Date.now();
    return (record) =>
      onboardingView(record, {
        claim: claimed.get(record.attemptId),
        release: released.get(record.tenantId),
        watched: watched.get(record.tenantId),
        ...{ temporal, ui, nowMs },
      });
  }

  const of = async (record: StoredRecord): Promise<OnboardingView> => (await showing([record]))(record);

  return {
    of,

    /** Undefined if the tenant has none. Asks Temporal only for a tenant that the register does not have. */
    async get(tenantId: string): Promise<OnboardingView | undefined> {
      const record = (await register.get(tenantId)) ?? (await executions.record(tenantId));
      return record && of(record);
    },

    /** The latest start first. */
    async list(...page: Parameters<Register['list']>): Promise<OnboardingView[]> {
      const records = await register.list(...page);
      return records.map(await showing(records));
    },
  };
}
