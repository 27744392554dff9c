import { type AgentsMdSubjectOptions, checkSubject, validCheckInput } from './run-check.ts';
import { type AgentsMdClient, createAgentsMdClient, type ScheduleAction } from './agents-md-client.ts';
import { showCheckView } from './show-check.ts';
import { showSchedule, showScheduleList } from './show-schedule.ts';
import { agentsMdExitCodes, checkExitCode, ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';

export interface AgentsMdOptions {
  readonly json?: boolean;
  readonly data: string;
}

export interface ResultSurroundings {
  readonly environment: NodeJS.ProcessEnv;
  /** Takes the result. */
  readonly write: (text: string) => void;
}

/** Sees to it that the producer is checked again and again. Resolves with 0. */
export async function scheduleChecks(
  producerId: string,
  options: AgentsMdOptions & AgentsMdSubjectOptions & { readonly every: string },
  surroundings: ResultSurroundings,
): Promise<number> {
  const input = validCheckInput({ producerId, ...checkSubject(options) });
  const { created, view } = await clientOf(options, surroundings).putSchedule({ ...input, every: options.every });
  return print(view, (schedule) => `${created ? 'Created' : 'Set'}  ${showSchedule(schedule)}`, options, surroundings);
}

/** Shows every Schedule. Resolves with 0. */
export async function listSchedules(options: AgentsMdOptions, surroundings: ResultSurroundings): Promise<number> {
  const data = await clientOf(options, surroundings).listSchedules();
  return print({ data }, () => showScheduleList(data), options, surroundings);
}

/** Pauses the producer's Schedule, resumes it, or starts a run now. Resolves with 0. */
export async function changeSchedule(
  action: ScheduleAction,
  producerId: string,
  options: AgentsMdOptions & { readonly note?: string },
  surroundings: ResultSurroundings,
): Promise<number> {
  const view = await clientOf(options, surroundings).changeSchedule(action, producerId, options.note);
  return print(view, showSchedule, options, surroundings);
}

/** Ends the producer's Schedule; what was found stays. Resolves with 0. */
export async function deleteSchedule(
  producerId: string,
  options: AgentsMdOptions,
  surroundings: ResultSurroundings,
): Promise<number> {
  await clientOf(options, surroundings).deleteSchedule(producerId);
  return print({ producerId, deleted: true }, () => `${producerId}: its Schedule is deleted`, options, surroundings);
}

/** Shows what is known of a producer. Resolves with the code of its latest result. */
export async function showProducer(
  producerId: string,
  options: AgentsMdOptions,
  surroundings: ResultSurroundings,
): Promise<number> {
  const view = await clientOf(options, surroundings).getCheck(producerId);
  print(view, showCheckView, options, surroundings);
  return view.latest === null ? agentsMdExitCodes.notCarriedOut : checkExitCode(view.latest);
}

const clientOf = ({ data }: AgentsMdOptions, { environment }: ResultSurroundings): AgentsMdClient =>
  createAgentsMdClient(findApi(data, environment));

function print<View>(
  view: View,
  show: (view: View) => string,
  { json }: AgentsMdOptions,
  { write }: ResultSurroundings,
): number {
  write(`${json === true ? JSON.stringify(view) : show(view)}\n`);
  return ExitCode.done;
}
