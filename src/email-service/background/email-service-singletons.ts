import type { Client } from '@temporalio/client';
import { retentionSchedule } from '../../lib/retention/retention-schedule.ts';
import type { ScheduleToKeep } from '../../lib/temporal/keep-schedule.ts';
import { scheduleSingletons, type Singleton } from '../../lib/temporal/singletons.ts';
import type { EmailServiceNames } from '../workflows/email-service-names.ts';
import type { sweepOutbox } from '../workflows/sweep-outbox.ts';

export const emailServiceRetentionSchedule = ({ retentionScheduleId, taskQueue }: EmailServiceNames): ScheduleToKeep =>
  retentionSchedule({ scheduleId: retentionScheduleId, workflowType: 'applyRetention', taskQueue });

export const emailServiceSingletons = (
  client: Client,
  names: EmailServiceNames,
  hostname: string,
): readonly Singleton[] => [
  {
    kind: 'workflow',
    name: names.sweepOutboxWorkflowId,
    ensure: () =>
      client.workflow.start<typeof sweepOutbox>('sweepOutbox', {
        workflowId: names.sweepOutboxWorkflowId,
        taskQueue: names.taskQueue,
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [],
        staticSummary: `Outbox of the email service ${hostname}`,
      }),
  },
  ...scheduleSingletons(client, [emailServiceRetentionSchedule(names)]),
];
