import type { OnboardingView } from '../../client/onboarding/onboarding-view.ts';
import { temporaryFindings } from '../../lib/dns/findings/temporary-findings.ts';
import type { RecordFinding } from '../../onboarding/dns-record.ts';
import { Stage } from '../../onboarding/stage.ts';
import { type ApiClient, createApiClient, type ListQuery } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import type { LocalOptions } from '../common-options.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { shellWord } from '../shell-word.ts';
import { textTable } from '../text-table.ts';
import { presence } from './show-onboarding.ts';

/** The filters of the API, as options of the command line. */
export interface OnboardingFilterOptions {
  readonly stage?: NonNullable<ListQuery['stage']>;
  readonly outcome?: NonNullable<ListQuery['outcome']>;
  readonly exit?: NonNullable<ListQuery['exit']>;
  readonly finding?: string;
  readonly needsAttention?: boolean;
  readonly stuck?: boolean;
  readonly waitingLongerThan?: string;
  readonly search?: string;
}

export interface ListOptions extends OnboardingFilterOptions, LocalOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly all?: boolean;
}

/** The API's maximum. */
const PAGE_LIMIT = 100;

/** Resolves with the exit code: 0, also if no onboarding meets the conditions. */
export async function listOnboardings(options: ListOptions, context: CommandContext): Promise<number> {
  const { environment, write, writeMessage } = context;
  const api = createApiClient(findApi(options.data, environment));
  const { all = false, limit, cursor } = options;
  const query = { ...listQuery(options), ...(cursor === undefined ? {} : { cursor }) };
  const listed = all ? pages(api, query) : [await api.list({ ...query, ...(limit === undefined ? {} : { limit }) })];
  const data: OnboardingView[] = [];
  let nextCursor: string | null = null;
  for await (const page of listed) {
    data.push(...page.data);
    nextCursor = page.next_cursor;
  }
  if (options.json === true) {
    write(`${JSON.stringify({ data, next_cursor: nextCursor })}\n`);
    return ExitCode.done;
  }
  write(`${data.length === 0 ? 'No onboarding meets these conditions.' : table(data)}\n`);
  // Whether Temporal and a Worker answer is the same for all that run; the latest write says since when none does.
  const running = data.filter(({ outcome }) => outcome === 'running');
  const [latest] = (running.length > 0 ? running : data).toSorted((one, other) => one.ageSeconds - other.ageSeconds);
  if (latest !== undefined) for (const line of presence(latest)) writeMessage(`${line.trim()}\n`);
  if (nextCursor !== null) writeMessage(`There are more: add --all, or --cursor ${shellWord(nextCursor)}\n`);
  return ExitCode.done;
}

export const listQuery = (options: OnboardingFilterOptions): ListQuery => ({
  ...(options.stage === undefined ? {} : { stage: options.stage }),
  ...(options.outcome === undefined ? {} : { outcome: options.outcome }),
  ...(options.exit === undefined ? {} : { exit: options.exit }),
  ...(options.finding === undefined ? {} : { finding: options.finding }),
  ...(options.needsAttention === undefined ? {} : { needs_attention: options.needsAttention }),
  ...(options.stuck === undefined ? {} : { stuck: options.stuck }),
  ...(options.waitingLongerThan === undefined ? {} : { waiting_longer_than: options.waitingLongerThan }),
  ...(options.search === undefined ? {} : { q: options.search }),
});

/** The pages from `query.cursor` on. */
export async function* pages(
  api: Pick<ApiClient, 'list'>,
  query: Omit<ListQuery, 'limit'>,
): AsyncGenerator<Awaited<ReturnType<ApiClient['list']>>> {
  let cursor = query.cursor ?? null;
  do {
    const page = await api.list({ ...query, limit: PAGE_LIMIT, ...(cursor === null ? {} : { cursor }) });
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

function table(views: readonly OnboardingView[]): string {
  return textTable([
    ['TENANT', 'DOMAIN', 'STAGE', 'SINCE', 'DEADLINE', 'FINDINGS'],
    ...views.map((view) => [
      view.tenantId,
      view.domain,
      stateOf(view),
      inSeconds(sinceOf(view)),
      inSeconds(view.outcome === 'running' ? view.deadline : null),
      reasonsOf(view).join(' ') || '-',
    ]),
  ]);
}

function stateOf({ outcome, stage, exit, domainWatch }: OnboardingView): string {
  if (outcome === 'running') return exit === null ? stage : `${stage} ${exit}`;
  const state = domainWatch === null || domainWatch.state === 'ok' ? [] : [domainWatch.state];
  const muted = domainWatch?.muted.map(({ purpose }) => purpose) ?? [];
  return [
    exit === null ? outcome : `${outcome} ${exit}`,
    ...state,
    ...(muted.length === 0 ? [] : [`muted ${muted.join(' ')}`]),
  ].join(', ');
}

/** When the state of `stateOf` began, or when the onboarding got stuck in it. */
function sinceOf({ outcome, stageSince, endedAt, domainWatch, stuck }: OnboardingView): string | null {
  if (outcome === 'running') return stuck?.since ?? stageSince;
  return domainWatch === null || domainWatch.state === 'ok' ? endedAt : domainWatch.stateSince;
}

/** Why an onboarding has failed or does not proceed: what `status` says in sentences. */
function reasonsOf(view: OnboardingView): string[] {
  const { outcome, stage, failure, needsAttention, onboarding, stuck, waitingFor } = view;
  if (stuck !== null) return ['stuck'];
  if (needsAttention !== null) return causesOf(needsAttention.findings);
  if (outcome === 'onboarded') return [];
  const end = failure?.type ?? onboarding.badEnd?.type;
  const findings = onboarding.records.flatMap((record) => (record.required ? record.findings : []));
  if (end === 'DomainVerificationTimedOut') return [end, ...causesOf(findings)];
  if (failure?.type === 'EmailBounced') return [failure.type, failure.details.category];
  if (end !== undefined) return [end];
  // Nothing is wrong with a record that the tenant has yet to publish.
  if (stage === Stage.awaitingDomain) return causesOf(findings.filter(({ code }) => temporaryFindings.has(code)));
  return waitingFor.filter(({ message }) => message !== null).map(({ activity, attempt }) => `${activity}#${attempt}`);
}

/** The DNS records of a tenant can share a cause at one name. */
const causesOf = (findings: readonly RecordFinding[]): string[] => [
  ...new Set(findings.map(({ code, name }) => `${code}@${name}`)),
];

const inSeconds = (time: string | null): string => time?.replace(/\.\d+Z$/, 'Z') ?? '-';
