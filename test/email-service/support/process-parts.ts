import { pino } from 'pino';
import type { SettleRepliedDependencies } from '../../../src/email-service/activities/settle-replied.ts';
import { idleBackground } from './idle-background.ts';
import type { TestStore } from './test-store.ts';

/** What one process shares between its Activities; each test changes what it looks at. */
export const processParts = ({
  store,
  sealer,
}: Pick<TestStore, 'store' | 'sealer'>): SettleRepliedDependencies & { readonly hostname: string } => ({
  store,
  sealer,
  hostname: 'mail.sendoff.test',
  beginner: idleBackground,
  unrecorded: new Map(),
  pauseBounceRate: 0.1,
  logger: pino({ level: 'silent' }),
  now: () => new Date(),
});
