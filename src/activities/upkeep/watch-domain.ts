// A result counts only if the row still has the due time that the check began with: a killed Worker's attempt and its repetition are one
// check.
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { ProviderDomain } from '../../email-provider/email-provider.ts';
import { ProviderError, ProviderUnreachable } from '../../email-provider/provider-error.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import { afterWatchCheck, nextWatchCheckMs, type WatchObservation } from '../../onboarding/domain-watch.ts';
import type { Onboarding } from '../../onboarding/onboarding.ts';
import type { WatchedDomain, WatchPosition } from '../../store/upkeep/watched-domains.ts';
import type { WatchedDomains } from '../../store/upkeep/sql-watched-domains.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { checkZone } from '../onboarding/check-zone.ts';
import { toDnsRecords } from '../onboarding/register-domain.ts';
import { withoutSecrets } from '../../lib/without-secrets.ts';
import { ownKeys } from '../onboarding/own-key.ts';

export interface WatchDependencies extends Pick<
  ActivityDependencies,
  'provider' | 'secrets' | 'register' | 'checkRecords'
> {
  readonly watchedDomains: Pick<WatchedDomains, 'get' | 'due'>;
  /** Between two checks of an intact domain. Undefined: a sweep that is still running checks nothing more. */
  readonly watchIntervalMs: number | undefined;
}

/**
 * `suspected`: seen for the first time, so the next check decides. `skipped`: not due any more, or another check was
 * recorded first.
 */
export type WatchResult = 'intact' | 'suspected' | 'drifted' | 'recovered' | 'gone' | 'inconclusive' | 'skipped';

const FOREIGN =
  'The provider does not show the domain to the key that sendoff created after the claim: it seems to open another account';
/** The column is shown in lists. */
const PROBLEM_LENGTH_MAX = 500;

/** With the jitter of both, two checks of the provider may be further apart than two of ours. */
const INTERVALS_MAX = 2;

/** For the Workflow that watches verified domains. */
export function watchActivities(dependencies: WatchDependencies) {
  const { register, watchedDomains, watchIntervalMs } = dependencies;
  const keys = ownKeys(dependencies);

  async function observe(watched: WatchedDomain): Promise<WatchObservation> {
    const onboarding = (await register.get(watched.tenantId))?.onboarding;
    // At the operator's account only the zone is checked: its requests are for onboardings.
    if (onboarding?.provider !== undefined)
      return { kind: 'records', records: await zoneRecords(undefined, onboarding), status: 'verified' };
    try {
      const domain = await keys.withAccount(watched, (account) =>
        account.getDomain(watched.domainId, { signal: cancellationSignal() }),
      );
      const records = await (domain !== undefined && isCheckedByProvider(domain, watched)
        ? currentRecords(domain, onboarding)
        : zoneRecords(domain, onboarding));
      if (domain !== undefined) return { kind: 'records', records, status: domain.status };
      // The zone is checked for the records of the onboarding; of the domain at the provider nothing is known.
      return records.length > 0
        ? { kind: 'records', records, status: 'verified' }
        : { kind: 'unanswered', problem: FOREIGN };
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof ProviderUnreachable)) throw error;
      if (cancellationSignal().aborted) throw error;
      const isGone = error instanceof ProviderError && error.meaning === 'gone';
      return isGone
        ? { kind: 'gone' }
        : { kind: 'unanswered', problem: withoutSecrets(error.message).slice(0, PROBLEM_LENGTH_MAX) };
    }
  }

  /** The zone decides: a provider may never check a verified domain again, and may omit its records. */
  async function zoneRecords(
    found: ProviderDomain | undefined,
    onboarding: Onboarding | undefined,
  ): Promise<DnsRecord[]> {
    const domain = found?.name ?? onboarding?.domain ?? '';
    return (await checkZone(domain, currentRecords(found, onboarding), dependencies)).records;
  }

  /** As the provider has them, or else those of the onboarding. */
  function currentRecords(found: ProviderDomain | undefined, { records: known = [] }: Partial<Onboarding> = {}) {
    const current = toDnsRecords(found?.records ?? [], known);
    return current.length > 0 ? current : known;
  }

  /**
   * Whether the provider checks verified domains itself, as the email service does each day, so that its last check counts instead of one of
   * ours. An earlier one than our last confirms only what that found: no defect.
   */
  function isCheckedByProvider({ lastCheckedAt, records }: ProviderDomain, watched: WatchedDomain): boolean {
    const required = records.filter((record) => record.required);
    if (lastCheckedAt === undefined || watchIntervalMs === undefined || required.length === 0) return false;
    const checkedAtMs = Date.parse(lastCheckedAt);
    const ageMs = activityInfo().currentAttemptScheduledTimestampMs - checkedAtMs;
    if (ageMs > watchIntervalMs * INTERVALS_MAX) return false;
    if (checkedAtMs > Date.parse(watched.checkedAt ?? watched.stateSince))
      return required.every(({ status }) => status !== undefined && status !== 'unchecked');
    const isIntact = watched.state === 'ok' && watched.suspicion === null;
    return isIntact && required.every(({ status }) => status === 'found');
  }

  return {
    async dueDomains(page: Parameters<WatchedDomains['due']>[0]): Promise<WatchPosition[]> {
      return watchIntervalMs === undefined ? [] : watchedDomains.due(page);
    },

    /** @param input.dueBy RFC 3339 UTC; a domain that is due later was checked by an earlier attempt */
    async checkWatchedDomain({
      tenantId,
      dueBy,
    }: {
      tenantId: string;
      dueBy: string;
    }): Promise<{ result: WatchResult }> {
      const watched = await watchedDomains.get(tenantId);
      // The attempt that recorded it may have died before it revoked the key.
      if (watched?.state === 'gone') await keys.revokeOwn(tenantId);
      if (watchIntervalMs === undefined || watched?.nextCheckAt == null || watched.nextCheckAt > dueBy) {
        return { result: 'skipped' };
      }
      const observation = await observe(watched);
      const nowMs = activityInfo().currentAttemptScheduledTimestampMs;
      const at = new Date(nowMs).toISOString();
      let result: WatchResult | undefined;
      const after = await register.watch(tenantId, at, (before) => {
        // Another check, or another onboarding, was faster.
        if (before.nextCheckAt !== watched.nextCheckAt || before.attemptId !== watched.attemptId) return undefined;
        const { watch, event } = afterWatchCheck(before, observation, at);
        const delayMs = nextWatchCheckMs({ before, after: watch }, watchIntervalMs, Math.random());
        const nextCheckAt = watch.state === 'gone' ? null : new Date(nowMs + delayMs).toISOString();
        result = resultOf(watch, event?.type);
        return {
          watched: { ...before, ...watch, nextCheckAt },
          events: event === null ? [] : [event],
          records: observation.kind === 'records' ? [...observation.records] : undefined,
        };
      });
      if (after?.state === 'gone') await keys.revokeOwn(tenantId);
      return { result: result ?? 'skipped' };
    },
  };
}

export type WatchActivities = ReturnType<typeof watchActivities>;

function resultOf(
  { state, suspicion, problem }: Pick<WatchedDomain, 'state' | 'suspicion' | 'problem'>,
  event: string | undefined,
): WatchResult {
  if (event === 'domain.recovered') return 'recovered';
  if (state === 'gone') return 'gone';
  if (problem !== null) return 'inconclusive';
  if (suspicion !== null) return 'suspected';
  return state === 'drifted' ? 'drifted' : 'intact';
}
