import { type NotificationQueue, createSqlNotificationQueue } from '../../src/store/upkeep/notification-queue.ts';
import { createSqlRegister } from '../../src/store/onboarding/sql-register.ts';
import { beginOnboarding } from './begin-onboarding.ts';
import { openTestRegister, type TestRegister } from './test-register.ts';

export interface NotifiedRegister extends TestRegister {
  readonly queue: NotificationQueue;
  /** Adds a notification to the tenant's queue, and begins the tenant's onboarding before the first one. */
  readonly add: (tenantId: string, reason: string) => Promise<void>;
}

/** A register whose events wait for delivery to the backend. @param onNotification as the register's option */
export async function openNotifiedRegister(
  onNotification: (tenantId: string) => void = () => undefined,
): Promise<NotifiedRegister> {
  const opened = await openTestRegister();
  const { database } = opened;
  const register = createSqlRegister(database, { notify: true, onNotification });
  return {
    ...opened,
    register,
    queue: createSqlNotificationQueue(database),
    async add(tenantId, reason) {
      if ((await register.get(tenantId)) === undefined) await beginOnboarding(register, tenantId);
      await register.addEvent(tenantId, { type: 'domain.drifted', data: { reason } }, new Date().toISOString());
    },
  };
}
