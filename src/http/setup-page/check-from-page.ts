import type { FastifyRequest } from 'fastify';
import type { Onboardings } from '../../client/onboardings.ts';
import type { OnboardingViews } from '../../client/onboarding-views.ts';
import type { StoredRecord } from '../../store/register.ts';
import { settlesWithin } from '../../lib/settles-within.ts';
import { audit } from '../audit.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { isTemporalUnreachable } from '../temporal-problem.ts';
import type { CheckNotice } from './setup-view.ts';

export interface PageCheckDependencies {
  readonly onboardings: Pick<Onboardings, 'checkNow'>;
  readonly register: Pick<HttpDependencies['register'], 'addEvent'>;
  readonly views: Pick<OnboardingViews, 'of'>;
}

/** By anyone: of the backend, of another page of the tenant, or by the onboarding's own schedule. */
const JUST_CHECKED_MS = 10_000;
/** A person waits for the page; most checks take less. */
const ANSWER_MS = 8_000;
/** Each adds about twelve events to the onboarding's history, which may have 51,200, and a stranger can press for days. */
const CHECKS_OF_TENANT_AN_HOUR = 30;
const HOUR_MS = 3_600_000;
/** Of all tenants, at this server. */
const CHECKS_MAX = 50;

/**
 * "Check now" of the page: the same Update as that of the API, so that both share its checks and its limits. A tenant has one check
 * under way at this server, however often the button is pressed.
 */
export function createPageCheck({ onboardings, register, views }: PageCheckDependencies) {
  const underWay = new Map<string, Promise<CheckNotice>>();
  let hour = 0;
  let checksThisHour = new Map<string, number>();

  function mayCheckAgain(tenantId: string): boolean {
    const now = Math.floor(Date.now() / HOUR_MS);
    if (now !== hour) checksThisHour = new Map();
    hour = now;
    const checks = checksThisHour.get(tenantId) ?? 0;
    checksThisHour.set(tenantId, checks + 1);
    return checks < CHECKS_OF_TENANT_AN_HOUR;
  }

  async function check(record: StoredRecord, log: FastifyRequest['log']): Promise<CheckNotice> {
    const { tenantId } = record;
    try {
      // An Update without a Worker would wait for its whole time.
      const { temporal } = await views.of(record);
      if (!temporal.reachable || temporal.workers === 'none') return 'unavailable';
      await audit({ log, apiTokenName: '' }, register, tenantId, { request: 'check_now', by: 'setup page' });
      const { kind } = await onboardings.checkNow(tenantId);
      switch (kind) {
        case 'done':
          return 'checked';
        case 'refused':
        case 'notRunning':
          return 'refused';
        case 'failed':
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

  return async (record: StoredRecord, log: FastifyRequest['log']): Promise<CheckNotice> => {
    const { tenantId, checkedAt } = record;
    if (checkedAt !== null && Math.abs(Date.now() - Date.parse(checkedAt)) < JUST_CHECKED_MS) return 'justChecked';
    const known = underWay.get(tenantId);
    if (known === undefined && underWay.size >= CHECKS_MAX) return 'unavailable';
    if (known === undefined && !mayCheckAgain(tenantId)) return 'refused';
    const checking = known ?? check(record, log);
    underWay.set(tenantId, checking);
    return (await settlesWithin(ANSWER_MS, checking)) ? checking : 'running';
  };
}
