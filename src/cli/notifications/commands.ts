import { type Command, Option } from 'commander';
import { eventTypes } from '../../onboarding/onboarding-events.ts';
import { exitWith, processContext } from '../command-context.ts';
import { DATA_DEFAULT, dataOption, jsonOption, type LocalOptions, wholeNumberArgument } from '../common-options.ts';
import type { NotificationListOptions } from './manage-notifications.ts';

export function addNotificationCommands(program: Command): void {
  const group = program.command('notifications').description('show and repeat the notifications to the backend');
  const load = () => import('./manage-notifications.ts');

  group
    .command('list')
    .description('list notifications, the latest first')
    .option('--tenant <id>', 'of this tenant')
    .addOption(new Option('--status <status>', 'in this status').choices(['pending', 'delivered', 'failed']))
    .addOption(new Option('--type <type>', 'of this type').choices(notifiedTypes))
    .addOption(new Option('--limit <count>', 'of one page, up to 100 (default: 20)').argParser(wholeNumberArgument))
    .option('--cursor <cursor>', 'continue after the page that printed this cursor')
    .addOption(jsonOption())
    .addOption(dataOption().default(DATA_DEFAULT))
    .action(async (options: NotificationListOptions) =>
      exitWith((await load()).listNotifications(options, processContext)),
    );

  group
    .command('replay <id>')
    .description("deliver a notification again, with the same ID, after the tenant's pending ones")
    .addOption(jsonOption())
    .addOption(dataOption().default(DATA_DEFAULT))
    .action(async (id: string, options: LocalOptions) =>
      exitWith((await load()).replayNotification(id, options, processContext)),
    );
}

const notifiedTypes = Object.entries(eventTypes).flatMap(([type, isNotified]) => (isNotified ? [type] : []));
