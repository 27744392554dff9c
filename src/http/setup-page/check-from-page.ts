import type { FastifyRequest } from 'fastify';
import { CHECK_LASTS_MS, type Onboardings } from '../../client/onboarding/onboardings.ts';
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

const JUST_CHECKED_MS = 10_000;
/** A person waits for the page; most checks take less. */
const ANSWER_MS = 8_000;
/** Checks of all tenants at this server. */
const CHECKS_MAX = 50;
/** Forgetting them only costs a few extra checks, each of which the onboarding bounds. */
const ANSWERS_MAX = 1_000;

interface Answer {
  readonly notice: CheckNotice;
  /** The time at which the answer ends, by `performance.now()`: `checkedAt` is by a Worker's clock, which this machine's may not match. */
  readonly until: number;
  /** The last result of the onboarding, if another one ends the answer. */
  readonly whileCheckedAt?: string | null;
}

/**
 * "Check now" of the page: the same Update as that of the API, so that both share its checks and its limit. A tenant has one check
 * under way at this server, however often the button is pressed.
 */
export function createPageCheck({ onboardings, register }: PageCheckDependencies) {
  const underWay = new Map<string, Promise<CheckNotice>>();
  // By attempt ID: a stranger who keeps pressing causes neither Updates nor audit events.
  const answers = new Map<string, Answer>();

  function answerFor(attemptId: string, answer: Omit<Answer, 'until'> & { readonly lastsMs: number }): void {
    if (answers.size >= ANSWERS_MAX) answers.clear();
    answers.set(attemptId, { ...answer, until: performance.now() + answer.lastsMs });
  }

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
          answerFor(attemptId, { notice: 'justChecked', lastsMs: JUST_CHECKED_MS });
          return 'checked';
        case 'begun':
          answerFor(attemptId, { notice: 'running', lastsMs: CHECK_LASTS_MS, whileCheckedAt: checkedAt });
          return 'running';
        case 'tooSoon':
          answerFor(attemptId, { notice: 'refused', lastsMs: outcome.waitMs });
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

  function answered({ attemptId, checkedAt }: StoredRecord): CheckNotice | undefined {
    const answer = answers.get(attemptId);
    if (answer === undefined) return undefined;
    const { notice, until, whileCheckedAt = checkedAt } = answer;
    if (until > performance.now() && whileCheckedAt === checkedAt) return notice;
    answers.delete(attemptId);
    return undefined;
  }

  return async (record: StoredRecord, log: FastifyRequest['log']): Promise<CheckNotice> => {
    const { tenantId } = record;
    const notice = answered(record);
    if (notice !== undefined) return notice;
    const known = underWay.get(tenantId);
    if (known === undefined && underWay.size >= CHECKS_MAX) return 'unavailable';
    const checking = known ?? check(record, log);
    underWay.set(tenantId, checking);
    return (await settlesWithin(ANSWER_MS, checking)) ? checking : 'running';
  };
}
