import type { NotificationView, operations } from '../../api-client/sendoff-client.ts';
import { createApiCaller } from '../api-client.ts';
import type { CommandContext } from '../command-context.ts';
import type { LocalOptions } from '../common-options.ts';
import { ExitCode } from '../exit-codes.ts';
import { findApi } from '../find-api.ts';
import { printable } from '../../lib/printable.ts';
import { shellWord } from '../shell-word.ts';
import { textTable } from '../text-table.ts';

type Query = NonNullable<operations['listNotifications']['parameters']['query']>;

export interface NotificationListOptions extends LocalOptions {
  readonly tenant?: string;
  readonly status?: NonNullable<Query['status']>;
  readonly type?: NonNullable<Query['type']>;
  readonly limit?: number;
  readonly cursor?: string;
}

/** Prints one page, the latest first. */
export async function listNotifications(
  { json, data: dataFolder, ...query }: NotificationListOptions,
  { environment, write, writeMessage }: CommandContext,
): Promise<number> {
  const call = createApiCaller(findApi(dataFolder, environment));
  const { data: page } = await call((api) => api.GET('/notifications', { params: { query } }));
  if (json === true) write(`${JSON.stringify(page)}\n`);
  else write(`${page.data.length === 0 ? 'No notification meets these conditions.' : table(page.data)}\n`);
  if (json !== true && page.next_cursor !== null) {
    writeMessage(`There are more: add --cursor ${shellWord(page.next_cursor)}\n`);
  }
  return ExitCode.done;
}

/** Has a notification delivered again. */
export async function replayNotification(
  id: string,
  { json, data: dataFolder }: LocalOptions,
  { environment, write }: CommandContext,
): Promise<number> {
  const call = createApiCaller(findApi(dataFolder, environment));
  const { data: view } = await call((api) => api.POST('/notifications/{id}/replay', { params: { path: { id } } }));
  write(
    `${json === true ? JSON.stringify(view) : printable(`${view.id} (${view.type} of ${view.tenantId}): ${view.status}`)}\n`,
  );
  return ExitCode.done;
}

const table = (notifications: readonly NotificationView[]): string =>
  textTable([
    ['ID', 'TENANT', 'TYPE', 'AT', 'STATUS', 'ATTEMPTS', 'LAST ERROR'],
    ...notifications.map(({ id, tenantId, type, at, status, attempts, lastError }) => [
      ...[id, tenantId, type, at, status],
      String(attempts),
      lastError ?? '-',
    ]),
  ]);
