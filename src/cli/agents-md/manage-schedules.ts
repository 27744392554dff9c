import { type SubjectOptions, checkSubject, validCheckInput } from './run-check.ts';
import { type AgentsMdClient, createAgentsMdClient, type ScheduleAction } from './agents-md-client.ts';
import { showCheckView } from './show-check.ts';
import { showSchedule, showScheduleList } from './show-schedule.ts';
import { agentsMdExitCodes, checkExitCode, ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';

export interface OutputOptions {
  readonly json?: boolean;
  readonly data: string;
}

export interface ResultContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly write: (text: string) => void;
}

export async function scheduleChecks(
  producerId: string,
  options: OutputOptions & SubjectOptions & { readonly every: string },
  context: ResultContext,
): Promise<number> {
  const input = validCheckInput({ producerId, ...checkSubject(options) });
  const { created, view } = await clientOf(options, context).putSchedule({ ...input, every: options.every });
  return print(view, (schedule) => `${created ? 'Created' : 'Changed'}  ${showSchedule(schedule)}`, options, context);
}

export async function listSchedules(options: OutputOptions, context: ResultContext): Promise<number> {
  const data = await clientOf(options, context).listSchedules();
  return print({ data }, () => showScheduleList(data), options, context);
}

export async function changeSchedule(
  action: ScheduleAction,
  producerId: string,
  options: OutputOptions & { readonly note?: string },
  context: ResultContext,
): Promise<number> {
  const view = await clientOf(options, context).changeSchedule(action, producerId, options.note);
  return print(view, showSchedule, options, context);
}

export async function deleteSchedule(
  producerId: string,
  options: OutputOptions,
  context: ResultContext,
): Promise<number> {
  await clientOf(options, context).deleteSchedule(producerId);
  return print({ producerId, deleted: true }, () => `${producerId}: Schedule deleted`, options, context);
}

/** Resolves with the exit code of the producer's latest result. */
export async function showProducer(
  producerId: string,
  options: OutputOptions,
  context: ResultContext,
): Promise<number> {
  const view = await clientOf(options, context).getCheck(producerId);
  print(view, showCheckView, options, context);
  return view.latest === null ? agentsMdExitCodes.notCarriedOut : checkExitCode(view.latest);
}

const clientOf = ({ data }: OutputOptions, { environment }: ResultContext): AgentsMdClient =>
  createAgentsMdClient(findApi(data, environment));

function print<View>(
  view: View,
  show: (view: View) => string,
  { json }: OutputOptions,
  { write }: ResultContext,
): number {
  write(`${json === true ? JSON.stringify(view) : show(view)}\n`);
  return ExitCode.done;
}
