import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { placeIn } from '../../agents-md/check-input.ts';
import type { ProducerView } from '../../client/agents-md/producer-views.ts';
import { printable } from '../../lib/printable.ts';
import { type SubjectOptions, checkSubject, validCheckInput } from './run-check.ts';
import { type AgentsMdClient, createAgentsMdClient, type ImportChanges, type ReportQuery } from './agents-md-client.ts';
import { showCheckView } from './show-check.ts';
import type { ResultContext } from '../command-context.ts';
import type { LocalOptions } from '../common-options.ts';
import { agentsMdExitCodes, checkExitCode, ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { textTable } from '../text-table.ts';
import { unreadableFile } from '../unreadable-file.ts';

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
  const { added, view } = await clientOf(options, context).putProducer(id, {
    ...input,
    ...(every === undefined ? {} : { every }),
    ...(label === undefined ? {} : { labels: [...label] }),
  });
  return print(view, () => `${added ? 'Added' : 'Changed'}  ${showProducer(view)}`, options, context);
}

export async function listProducers(
  options: LocalOptions & ProducerFilterOptions,
  context: ResultContext,
): Promise<number> {
  const data: ProducerView[] = [];
  for await (const page of clientOf(options, context).listProducers(filterOf(options))) data.push(...page);
  return print({ data }, () => showList(data), options, context);
}

export async function removeProducer(id: string, options: LocalOptions, context: ResultContext): Promise<number> {
  await clientOf(options, context).removeProducer(id);
  return print({ producerId: id, removed: true }, () => `${id}: removed`, options, context);
}

/** Pauses or resumes it. */
export async function setPaused(
  producerId: string,
  paused: boolean,
  options: LocalOptions,
  context: ResultContext,
): Promise<number> {
  const view = await clientOf(options, context).pauseProducer(producerId, paused);
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
  const changes = await clientOf(options, context).importProducers(lines, query);
  return print(changes, (made) => showChanges(made, query.dry_run), options, context);
}

export async function printReport(
  { format, ...options }: ProducerFilterOptions & { data: string; format: NonNullable<ReportQuery['format']> },
  context: ResultContext,
): Promise<number> {
  context.write(await clientOf(options, context).report({ ...filterOf(options), format }));
  return ExitCode.done;
}

/** Resolves with the exit code of the producer's latest result. */
export async function showLatest(producerId: string, options: LocalOptions, context: ResultContext): Promise<number> {
  const view = await clientOf(options, context).getCheck(producerId);
  print(view, showCheckView, options, context);
  return view.latest === null ? agentsMdExitCodes.notCarriedOut : checkExitCode(view.latest);
}

const clientOf = ({ data }: Pick<LocalOptions, 'data'>, { environment }: ResultContext): AgentsMdClient =>
  createAgentsMdClient(findApi(data, environment));

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
