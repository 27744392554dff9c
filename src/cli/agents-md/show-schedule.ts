import type { ScheduleView } from '../../client/agents-md/check-schedules.ts';
import { printable } from '../../lib/printable.ts';
import { textTable } from '../text-table.ts';

export function showScheduleList(schedules: readonly ScheduleView[]): string {
  if (schedules.length === 0) return 'No Schedules.';
  const rows = schedules.map((view) => [
    view.producerId,
    subjectOf(view),
    view.every,
    stateOf(view),
    view.nextRunAt ?? '-',
    view.lastRunAt ?? '-',
  ]);
  return textTable([['PRODUCER', 'SUBJECT', 'EVERY', 'STATE', 'NEXT RUN', 'LAST RUN'], ...rows]);
}

export function showSchedule(view: ScheduleView): string {
  const { producerId, every, note, nextRunAt, lastRunAt, startedRuns, skippedRuns, missedRuns, uiUrl } = view;
  const lines = [
    `${producerId}: ${subjectOf(view)} every ${every}, ${stateOf(view)}`,
    ...(note === null ? [] : [`  Note      ${note}`]),
    `  Next run  ${nextRunAt ?? 'none while it is paused'}`,
    `  Last run  ${lastRunAt ?? 'none yet'}`,
    `  Runs      ${startedRuns} started, ${skippedRuns} skipped (the previous run was still running), ${missedRuns} missed`,
    ...(uiUrl === null ? [] : [`  Temporal  ${uiUrl}`]),
  ];
  return printable(lines.join('\n'));
}

const subjectOf = ({ host, organization, primaryRepository }: ScheduleView): string =>
  organization === null
    ? 'no organization'
    : [host, organization, ...(primaryRepository === null ? [] : [primaryRepository])].join('/');

const stateOf = ({ paused, running }: ScheduleView): string =>
  [paused ? 'paused' : 'active', ...(running ? ['running'] : [])].join(', ');
