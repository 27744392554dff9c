import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { startWorker } from '../../src/worker.ts';
import type { TestServer } from './temporal.ts';

type Settings = Readonly<Record<string, string>>;
type Place = Pick<TestServer, 'address' | 'namespace'>;

/** Of a program whose email provider and name servers do not answer, so that an onboarding stays in its first step. */
export const settingsOf = (databaseUrl: string, changes: Settings = {}): Settings => ({
  SENDOFF_API_TOKEN: 'a-token-of-more-than-24-characters',
  SENDOFF_SECRET_KEY: randomBytes(32).toString('base64'),
  SENDOFF_DATABASE_URL: databaseUrl,
  SENDOFF_PORT: '0',
  EMAIL_PROVIDER_OPERATOR_TOKEN: 'operator',
  EMAIL_PROVIDER_URL: 'http://127.0.0.1:9',
  DNS_RESOLVERS: '127.0.0.1:9',
  ...changes,
});

export const notifying = (url: string): Settings => ({
  SENDOFF_NOTIFICATION_URL: url,
  SENDOFF_NOTIFICATION_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
});

const at = ({ address, namespace }: Place) => ({ connectionOptions: { address }, namespace });

export const programs = ['server', 'worker'] as const;
export const start = {
  server: (settings: Settings, place: Place) => startServer(readConfig(settings), at(place), pino({ level: 'silent' })),
  worker: (settings: Settings, place: Place) => startWorker(readConfig(settings), at(place)),
};

/** Why a program does not start; one that starts is stopped. */
export const refusalOf = (starting: Promise<{ stop(): Promise<void> }>): Promise<unknown> =>
  starting.then(
    async (started) => {
      await started.stop();
      return 'it started';
    },
    (error: unknown) => error,
  );
