import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, createApiClient, type DomainReport } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { checkNowExitCodes } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { printable } from '../../lib/printable.ts';
import { textTable } from '../text-table.ts';
import type { ChangeOptions } from './change-onboarding.ts';
import { listQuery, type OnboardingFilterOptions, pages } from './list-onboardings.ts';
import { recordAsSeen } from './show-onboarding.ts';

export interface CheckNowOptions extends Omit<OnboardingFilterOptions, 'outcome' | 'exit'>, ChangeOptions {
  readonly all?: boolean;
}

/** Checks one tenant. Resolves with the exit code: 0 verified, 20 not verified yet, 21 no result yet. */
export async function checkNow(tenantId: string, options: CheckNowOptions, context: CommandContext): Promise<number> {
  const api = createApiClient(findApi(options.data, context.environment));
  const report = await api.checkNow(tenantId, options.by);
  const shown = 'check' in report ? `${tenantId}: ${report.detail}` : show(tenantId, report);
  context.write(`${options.json === true ? JSON.stringify({ tenantId, ...report }) : shown}\n`);
  if ('check' in report) return checkNowExitCodes.begun;
  return report.verified ? checkNowExitCodes.verified : checkNowExitCodes.notVerified;
}

function show(tenantId: string, { verified, published, conclusive, records, lastObservedAt }: DomainReport): string {
  const result = verified
    ? 'verified'
    : published
      ? 'not verified yet, although every required record is published correctly'
      : `not verified yet${conclusive ? '' : '; a required record could not be checked'}`;
  return printable([`${tenantId}: ${result}, checked at ${lastObservedAt}`, ...records.map(recordAsSeen)].join('\n'));
}

/** Slow enough that checks do not queue up at a deployment or provider that has just restarted. */
const STARTS_PER_SECOND = 10;
/** Each takes up to a minute. */
const UNDER_WAY_MAX = 50;

interface Checked {
  readonly tenantId: string;
  readonly domain: string;
  /** Null if the check was not carried out, or has begun and has no result yet. */
  readonly verified: boolean | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/**
 * Checks every tenant that waits for its domain, as after an outage. Resolves with the exit code: 0; 1 if a check was not carried
 * out; otherwise 21 if one has no result yet.
 */
export async function checkAll(options: CheckNowOptions, context: CommandContext): Promise<number> {
  const api = createApiClient(findApi(options.data, context.environment));
  const query = listQuery({ stage: 'awaitingDomain', ...options, outcome: 'running' });
  const results: Checked[] = [];
  const underWay = new Set<Promise<unknown>>();
  for await (const { data } of pages(api, query)) {
    for (const { tenantId, domain } of data) {
      if (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay);
      const check = checkOne(api, { tenantId, domain }, options.by).then((checked) => {
        underWay.delete(check);
        if (checked === undefined) return;
        results.push(checked);
        if (options.json !== true) context.write(`${line(checked)}\n`);
      });
      underWay.add(check);
      await sleep(1_000 / STARTS_PER_SECOND);
    }
  }
  await Promise.all(underWay);
  const failed = results.filter(({ error }) => error !== null).length;
  const verified = results.filter((result) => result.verified === true).length;
  const begun = results.filter((result) => result.verified === null).length - failed;
  const notVerified = results.length - verified - failed - begun;
  const counts = { checked: results.length, verified, notVerified, begun, failed };
  if (options.json === true) context.write(`${JSON.stringify({ ...counts, results })}\n`);
  else context.write(`${textTable(Object.entries(counts).map(([name, count]) => [name, String(count)]))}\n`);
  if (failed > 0) return checkNowExitCodes.failed;
  return begun > 0 ? checkNowExitCodes.begun : checkNowExitCodes.verified;
}

/** Resolves with undefined if it no longer waits, as when its own check came first. */
async function checkOne(
  api: Pick<ApiClient, 'checkNow' | 'get'>,
  { tenantId, domain }: Pick<Checked, 'tenantId' | 'domain'>,
  by: string,
): Promise<Checked | undefined> {
  try {
    const report = await api.checkNow(tenantId, by);
    return { tenantId, domain, verified: 'check' in report ? null : report.verified, error: null };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { code = 'command_failed', message } = error;
    if (code === 'update_refused') {
      const { outcome, stage } = await api.get(tenantId);
      if (outcome !== 'running' || stage !== 'awaitingDomain') return undefined;
    }
    return { tenantId, domain, verified: null, error: { code, message } };
  }
}

function line({ tenantId, domain, verified, error }: Checked): string {
  const result = verified === null ? 'begun, no result yet' : verified ? 'verified' : 'not verified yet';
  return printable(`${tenantId} (${domain}): ${error?.message ?? result}`);
}
