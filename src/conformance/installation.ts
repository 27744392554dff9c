// An installation of sendoff without Temporal: its database and its Activities. A case calls the Activities as the Workflow does.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Activities, createActivities } from '../activities/index.ts';
import { failureInterceptor } from '../activities/failure-interceptor.ts';
import { createHttpEmailProvider } from '../email-provider/adapters/sendoff/sendoff-provider.ts';
import { openTogether } from '../lib/closers.ts';
import { createSealer } from '../lib/sealing.ts';
import { installationIdOf } from '../lib/sql/installation-id.ts';
import { openDatabase } from '../store/database.ts';
import { createSqlProviderEvents } from '../store/onboarding/provider-events.ts';
import { createSqlProviderIntents } from '../store/onboarding/provider-intents.ts';
import { createSqlRegister } from '../store/onboarding/sql-register.ts';
import { createSqlSecretStore } from '../store/secret-store.ts';
import type { FarEnd } from './far-end.ts';
import { startRelay } from '../dev/relay.ts';

/** Retries of Temporal without a pause of their own. */
const RETRY_MS = 60_000;
/** Of this machine's time. */
const RETRY_PAUSE_MS = 1_000;
/** The time limits of a step. */
const ATTEMPT_MS = 20_000;
const DAY_MS = 86_400_000;

/** Runs an Activity until an attempt succeeds or fails for good, as Temporal does. */
type Perform = <Name extends keyof Activities>(
  name: Name,
  input: Parameters<Activities[Name]>[0],
  options?: { readonly attempts?: number },
) => Promise<Awaited<ReturnType<Activities[Name]>>>;

/** What fails is expected, and in the report if not. */
const logger = new DefaultLogger('ERROR');

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

export const openInstallation = (farEnd: FarEnd) =>
  openTogether(async (closers) => {
    const folder = await mkdtemp(join(tmpdir(), 'sendoff-conformance-'));
    closers.add(() => rm(folder, { recursive: true, force: true }));
    const database = await openDatabase(`file:${join(folder, 'sendoff.db')}`);
    closers.add(() => database.destroy());
    const relay = await startRelay(farEnd.url);
    const { provider, account } = farEnd.connect(relay.url);
    const unused = createHttpEmailProvider({ baseUrl: relay.url, operatorToken: 'unused' });
    // First the relay, which may hold requests.
    closers.add(async () => {
      await relay.stop();
      await Promise.all([unused.close(), (account ?? provider).close()]);
    });
    const register = createSqlRegister(database, { notify: true });
    const secrets = createSqlSecretStore(database, createSealer([randomBytes(32)]));
    const id = await installationIdOf(database);
    const events = createSqlProviderEvents(database);
    const forget = farEnd.onEvents?.(async (received) => {
      if (farEnd.provider !== undefined) await events.store(farEnd.provider, received);
    });
    closers.add(async () => forget?.());
    const activities = createActivities({
      provider: provider ?? unused,
      operatorAccounts: {
        configured: farEnd.provider === undefined || account === undefined ? {} : { [farEnd.provider]: account },
        intents: createSqlProviderIntents(database),
        events,
        installationId: id,
      },
      ...{ secrets, register },
      checkRecords: farEnd.checkRecords,
      webhookUrl: (tenantId) => `https://sendoff.example/webhooks/${encodeURIComponent(tenantId)}`,
    });
    const failures: unknown[] = [];
    let now = Date.now();
    let workers = 1;
    let isClosed = false;
    // Of a case that has failed, some may be under way.
    closers.add(() => void (isClosed = true));

    const calls = activities as unknown as Record<keyof Activities, (given: object) => Promise<unknown>>;

    async function perform(name: keyof Activities, input: object, { attempts = Infinity } = {}): Promise<unknown> {
      const scheduledTimestampMs = now;
      const worker = workers;
      const { tenantId = '', attemptId = '' } = input as { tenantId?: string; attemptId?: string };
      let heartbeatDetails: unknown;
      for (let attempt = 1; ; attempt += 1) {
        const environment = new MockActivityEnvironment(
          {
            ...{ activityType: name, activityId: name, attempt, scheduledTimestampMs, heartbeatDetails },
            currentAttemptScheduledTimestampMs: now,
            ...{ startToCloseTimeoutMs: ATTEMPT_MS, scheduleToCloseTimeoutMs: DAY_MS },
            workflowExecution: { workflowId: tenantId, runId: attemptId },
          },
          { interceptors: [() => ({ inbound: failureInterceptor })], logger },
        );
        environment.on('heartbeat', (details: unknown) => (heartbeatDetails = details));
        try {
          return await environment.run((given: object) => calls[name](given), input);
        } catch (error) {
          if (isClosed || worker !== workers) return await new Promise(() => undefined);
          failures.push(error);
          const { nonRetryable, nextRetryDelay } = error as { nonRetryable?: boolean; nextRetryDelay?: unknown };
          if (nonRetryable === true || attempt >= attempts || now > scheduledTimestampMs + DAY_MS) throw error;
          now += typeof nextRetryDelay === 'number' ? Math.max(nextRetryDelay, 1) : RETRY_MS;
          await farEnd.pause(RETRY_PAUSE_MS);
        }
      }
    }
    return {
      ...{ id, relay, register, secrets, database, farEnd },
      /** The errors that its Activities have thrown so far. */
      failures,
      /** See ProviderFacts; the embedded email service keeps Idempotency-Keys. */
      sendOnce: account?.facts.sendOnce.kind ?? 'key',
      perform: perform as Perform,
      /** By the clock of this installation, which its retries and `pass` move. Milliseconds since the epoch. */
      now: () => now,
      pass: (ms: number) => void (now += ms),
      /** The Activities that are under way never end: their Worker is dead. */
      abandon: () => void (workers += 1),
      close: closers.close,
    };
  });
