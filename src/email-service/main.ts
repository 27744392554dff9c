import type { Logger } from 'pino';
import { createSealer } from '../sealing.ts';
import type { TemporalConfig } from '../temporal-config.ts';
import { buildEmailService } from './app.ts';
import { startBackground } from './background.ts';
import type { EmailServiceConfig } from './config.ts';
import { readOrMakeOperatorToken, type OperatorToken } from './operator-token.ts';
import { redactingLogger } from './redacting-logger.ts';
import { openStore } from './store/open-store.ts';

export interface EmailServiceSurroundings {
  readonly logger: Logger;
  readonly temporal: TemporalConfig;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** Called once in a database's life, when an operator token was made; it goes to a person and not into the log. */
  readonly announceOperatorToken?: (made: OperatorToken) => void;
}

export interface RunningEmailService {
  readonly url: string;
  readonly operatorToken: OperatorToken;
  /** Settles when the Worker has ended; rejects when it failed, and then nothing is delivered any more. */
  readonly run: Promise<void>;
  /** Answers what is under way, then lets Activities finish, then closes the database. */
  stop(): Promise<void>;
}

/** Opens the database, starts the Worker and listens. Throws, with nothing left running, when one of them cannot. */
export async function startEmailService(
  settings: EmailServiceConfig,
  { temporal, now = () => new Date(), announceOperatorToken, ...surroundings }: EmailServiceSurroundings,
): Promise<RunningEmailService> {
  const logger = redactingLogger(surroundings.logger);
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      // What one part leaves behind is no reason to leave the others running.
      await step().catch((error: unknown) => {
        logger.error({ err: error }, 'a part of the email service did not stop cleanly');
      });
    }
  };
  try {
    const store = await openStore(settings.databaseUrl);
    undo.push(() => store.destroy());
    const operatorToken = await operatorTokenOf(settings);
    // Right after it was made: a start that fails further on is followed by one that finds the file and keeps quiet.
    if (operatorToken.isNew) announceOperatorToken?.(operatorToken);
    const sealer = createSealer(settings.encryptionKeys);
    const background = await startBackground({ store, sealer, settings, logger, temporal, now });
    undo.push(() => background.stop());
    const app = await buildEmailService({
      store,
      sealer,
      settings,
      background,
      operatorToken: operatorToken.token,
      now,
      logger,
    });
    undo.push(() => app.close());
    const url = await app.listen({ host: settings.host, port: settings.port });
    return { url, operatorToken, run: background.run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function operatorTokenOf({ operatorToken, databaseUrl }: EmailServiceConfig): Promise<OperatorToken> {
  if (operatorToken !== undefined) return { token: operatorToken, source: 'settings', isNew: false };
  return readOrMakeOperatorToken(`${databaseUrl.replace(/^file:/, '')}.operator-token`);
}
