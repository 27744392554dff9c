// Run as a process of its own with the URL of a database and a tenant: dies by SIGKILL between the commit of a notification and
// its wake-up.
import { openDatabase } from '../../src/store/database.ts';
import { createSqlRegister } from '../../src/store/onboarding/sql-register.ts';
import { beginOnboarding } from './begin-onboarding.ts';

const [databaseUrl = '', tenantId = ''] = process.argv.slice(2);
const register = createSqlRegister(await openDatabase(databaseUrl), {
  notify: true,
  onNotification: () => process.kill(process.pid, 'SIGKILL'),
});
await beginOnboarding(register, tenantId);
await register.addEvent(tenantId, { type: 'domain.drifted', data: { reason: 'first' } }, new Date().toISOString());
