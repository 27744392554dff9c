import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { placeIn } from '../../agents-md/check-input.ts';
import type { ProducerView } from '../../client/agents-md/producer-views.ts';
import { printable } from '../../lib/printable.ts';
import { type SubjectOptions, checkSubject, validCheckInput } from './run-check.ts';
import { type ApiCaller, createApiCaller, type QueryOf } from '../api-client.ts';
import type { operations } from '../../api-client/sendoff-client.ts';
import { getCheck } from './follow-check.ts';
import { showCheckView } from './show-check.ts';
import type { ResultContext } from '../command-context.ts';
import type { LocalOptions } from '../common-options.ts';
import { agentsMdExitCodes, checkExitCode, ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { textTable } from '../text-table.ts';
import { unreadableFile } from '../unreadable-file.ts';

type ReportQuery = QueryOf<'getProducersReport'>;
type ImportChanges = operations['importProducers']['responses'][200]['content']['application/json'];

/** The API's maximum. */
const PAGE_LIMIT = 1_000;
/** An import or a report of 50,000 producers takes seconds, longer on a busy server. */
const LARGE_TIMEOUT_MS = 120_000;

export interface ProducerFilterOptions {
  readonly outcome?: NonNullable<ReportQuery['outcome']>;
  readonly reason?: NonNullable<ReportQuery['reason']>;
  readonly label?: string;
  readonly changedSince?: string;
}

export async function addProducer(
  producerId: string,
  { every, label, ...options }: LocalOptions & SubjectOptions & { every?: string; label?: readonly string[] },
  context: ResultContext,
): Promise<number> {
  const { producerId: id, ...input } = validCheckInput({ producerId, ...checkSubject(options) });
  const body = {
    ...input,
    ...(every === undefined ? {} : { every }),
    ...(label === undefined ? {} : { labels: [...label] }),
  };
  const call = callerOf(options, context);
  const { data: view, response } = await call((api) => api.PUT('/producers/{producerId}', { ...of(id), body }));
  const what = response.status === 201 ? 'Added' : 'Changed';
  return print(view, () => `${what}  ${showProducer(view)}`, options, context);
}

export async function listProducers(
  options: LocalOptions & ProducerFilterOptions,
  context: ResultContext,
): Promise<number> {
  const call = callerOf(options, context);
  const data: ProducerView[] = [];
  let cursor: string | null = null;
  do {
    const from = cursor === null ? {} : { cursor };
    const query: QueryOf<'listProducers'> = { ...filterOf(options), limit: PAGE_LIMIT, ...from };
    const { data: page } = await call((api) => api.GET('/producers', { params: { query } }));
    data.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return print({ data }, () => showList(data), options, context);
}

export async function removeProducer(id: string, options: LocalOptions, context: ResultContext): Promise<number> {
  await callerOf(options, context)((api) => api.DELETE('/producers/{producerId}', of(id)));
  return print({ producerId: id, removed: true }, () => `${id}: removed`, options, context);
}

/** Pauses or resumes it. */
export async function setPaused(
  producerId: string,
  paused: boolean,
  options: LocalOptions,
  context: ResultContext,
): Promise<number> {
  const init = { ...of(producerId), body: { paused } };
  const { data: view } = await callerOf(options, context)((api) => api.PATCH('/producers/{producerId}', init));
  return print(view, showProducer, options, context);
}

/** @param file JSON Lines, or `-` for stdin */
export async function importProducers(
  file: string,
  options: LocalOptions & { dryRun?: boolean; removeMissing?: boolean },
  context: ResultContext & { readonly stdin: NodeJS.ReadableStream },
): Promise<number> {
  const lines = await text(file === '-' ? context.stdin : createReadStream(file)).catch((error: unknown) => {
    throw unreadableFile(file, error);
  });
  const query = { dry_run: options.dryRun === true, remove_missing: options.removeMissing === true };
  const changes = await sendProducers(callerOf(options, context), lines, query);
  return print(changes, (made) => showChanges(made, query.dry_run), options, context);
}

/** @param lines JSON Lines */
export async function sendProducers(
  call: ApiCaller,
  lines: string,
  query: QueryOf<'importProducers'>,
): Promise<ImportChanges> {
  const init = {
    params: { query },
    // The OpenAPI document describes JSON bodies only.
    body: lines as never,
    bodySerializer: (text: unknown) => text as string,
    headers: { 'content-type': 'application/x-ndjson' },
    timeoutMs: LARGE_TIMEOUT_MS,
  };
  return (await call((api) => api.PUT('/producers', init))).data;
}

export async function printReport(
  { format, ...options }: ProducerFilterOptions & { data: string; format: NonNullable<ReportQuery['format']> },
  context: ResultContext,
): Promise<number> {
  const query = { ...filterOf(options), format };
  const init = { params: { query }, parseAs: 'text' as const, timeoutMs: LARGE_TIMEOUT_MS };
  const { data: report } = await callerOf(options, context)((api) => api.GET('/producers/report', init));
  // The type is that of the JSON format, parsed.
  context.write(report as string);
  return ExitCode.done;
}

/** Resolves with the exit code of the producer's latest result. */
export async function showLatest(producerId: string, options: LocalOptions, context: ResultContext): Promise<number> {
  const view = await getCheck(callerOf(options, context), producerId);
  print(view, showCheckView, options, context);
  return view.latest === null ? agentsMdExitCodes.notCarriedOut : checkExitCode(view.latest);
}

const callerOf = ({ data }: Pick<LocalOptions, 'data'>, { environment }: ResultContext): ApiCaller =>
  createApiCaller(findApi(data, environment));

const of = (producerId: string) => ({ params: { path: { producerId } } });

const filterOf = ({ outcome, reason, label, changedSince }: ProducerFilterOptions): Omit<ReportQuery, 'format'> => ({
  ...(outcome === undefined ? {} : { outcome }),
  ...(reason === undefined ? {} : { reason }),
  ...(label === undefined ? {} : { label }),
  ...(changedSince === undefined ? {} : { changed_since: changedSince }),
});

function showList(producers: readonly ProducerView[]): string {
  if (producers.length === 0) return 'No producers.';
  const rows = producers.map((view) => [
    ...[view.producerId, placeIn(view), view.every, view.latest?.outcome ?? 'unchecked'],
    ...[view.latest?.reasonCode ?? view.lastAttempt?.reasonCode ?? '-', nextOf(view)],
  ]);
  return textTable([['PRODUCER', 'SUBJECT', 'EVERY', 'OUTCOME', 'REASON', 'NEXT CHECK'], ...rows]);
}

const showProducer = (view: ProducerView): string =>
  printable(`${view.producerId}: ${placeIn(view)} every ${view.every}, next check ${nextOf(view)}`);

const nextOf = ({ nextCheckAt }: ProducerView): string => nextCheckAt ?? 'paused';

function showChanges(changes: ImportChanges, isDryRun: boolean): string {
  const lines = (['added', 'changed', 'removed', 'unchanged'] as const).map((kind) => {
    const { count, producers } = changes[kind];
    const named = kind === 'unchanged' || count === 0 ? '' : `  ${producers.join(' ')}`;
    return `${kind.padEnd(10)}${count}${named}${count > producers.length && named !== '' ? ' …' : ''}`;
  });
  return printable([...(isDryRun ? ['Nothing was changed. An import makes these changes:'] : []), ...lines].join('\n'));
}

function print<View>(
  view: View,
  show: (view: View) => string,
  { json }: LocalOptions,
  { write }: ResultContext,
): number {
  write(`${json === true ? JSON.stringify(view) : show(view)}\n`);
  return ExitCode.done;
}
