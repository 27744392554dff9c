import type { FastifyRequest } from 'fastify';
import type { Onboardings } from '../../client/onboarding/onboardings.ts';
import type { StoredRecord } from '../../store/onboarding/register.ts';
import { settlesWithin } from '../../lib/timing/settles-within.ts';
import { audit } from '../audit.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { isTemporalUnreachable } from '../temporal-problem.ts';
import type { CheckNotice } from './setup-view.ts';

export interface PageCheckDependencies {
  readonly onboardings: Pick<Onboardings, 'checkNow'>;
  readonly register: Pick<HttpDependencies['register'], 'addEvent'>;
}

/** By anyone: of the backend, of another page of the tenant, or by the onboarding's own schedule. */
const JUST_CHECKED_MS = 10_000;
/** A person waits for the page; most checks take less. */
const ANSWER_MS = 8_000;
/** As long as the onboarding lets a check try. */
const CHECK_LASTS_MS = 2 * 60_000;
/** Checks of all tenants at this server. */
const CHECKS_MAX = 50;

/**
 * "Check now" of the page: the same Update as that of the API, so that both share its checks and its limit. A tenant has one check
 * under way at this server, however often the button is pressed.
 */
export function createPageCheck({ onboardings, register }: PageCheckDependencies) {
  const underWay = new Map<string, Promise<CheckNotice>>();
  // By attempt ID, in milliseconds since the epoch: a stranger who keeps pressing causes neither Updates nor audit events.
  const refusedUntil = new Map<string, number>();
  /** Of a check that goes on without an answer, with the last result before it. */
  const begun = new Map<string, { readonly until: number; readonly after: string | null }>();

  async function check(
    { tenantId, attemptId, checkedAt }: StoredRecord,
    log: FastifyRequest['log'],
  ): Promise<CheckNotice> {
    try {
      const outcome = await onboardings.checkNow(tenantId, () =>
        audit({ log, apiTokenName: '' }, register, tenantId, { request: 'check_now', by: 'setup page' }),
      );
      switch (outcome.kind) {
        case 'done':
          return 'checked';
        case 'begun':
          begun.set(attemptId, { until: Date.now() + CHECK_LASTS_MS, after: checkedAt });
          return 'running';
        case 'tooSoon':
          refusedUntil.set(attemptId, Date.now() + outcome.waitMs);
          return 'refused';
        case 'refused':
        case 'notRunning':
          return 'refused';
        case 'failed':
        case 'unreachable':
        case 'noWorker':
        case 'unanswered':
          return 'unavailable';
      }
    } catch (error) {
      if (!isTemporalUnreachable(error)) log.warn({ err: error, tenantId }, 'check of a setup page failed');
      return 'unavailable';
    } finally {
      underWay.delete(tenantId);
    }
  }

  function isRefused(attemptId: string): boolean {
    if ((refusedUntil.get(attemptId) ?? 0) > Date.now()) return true;
    refusedUntil.delete(attemptId);
    return false;
  }

  function hasBegun({ attemptId, checkedAt }: StoredRecord): boolean {
    const check = begun.get(attemptId);
    if (check !== undefined && check.until > Date.now() && check.after === checkedAt) return true;
    begun.delete(attemptId);
    return false;
  }

  return async (record: StoredRecord, log: FastifyRequest['log']): Promise<CheckNotice> => {
    const { tenantId, attemptId, checkedAt } = record;
    if (checkedAt !== null && Math.abs(Date.now() - Date.parse(checkedAt)) < JUST_CHECKED_MS) return 'justChecked';
    if (isRefused(attemptId)) return 'refused';
    if (hasBegun(record)) return 'running';
    const known = underWay.get(tenantId);
    if (known === undefined && underWay.size >= CHECKS_MAX) return 'unavailable';
    const checking = known ?? check(record, log);
    underWay.set(tenantId, checking);
    return (await settlesWithin(ANSWER_MS, checking)) ? checking : 'running';
  };
}
