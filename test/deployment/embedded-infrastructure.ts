import { openTogether } from '../../src/lib/closers.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { BACKGROUND_NAMESPACE, EMAIL_SERVICE_NAMESPACE, type Infrastructure, NAMESPACE } from './infrastructure.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { openLog } from './open-log.ts';
import { superviseDevServer } from './supervised-dev-server.ts';

export interface EmbeddedOptions {
  /** Path of a file in the data folder. */
  readonly inside: (name: string) => string;
  readonly temporalCli: string;
  /** More of the Temporal server's. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** SQLite files and Temporal's dev server with its Namespaces. */
export const startEmbeddedInfrastructure = ({
  inside,
  temporalCli,
  environment = {},
}: EmbeddedOptions): Promise<Infrastructure> =>
  openTogether(async (closers) => {
    const log = openLog(inside('temporal.log'));
    closers.add(() => log.stop());
    const temporal = await superviseDevServer({
      executable: temporalCli,
      environment,
      dataFile: inside('temporal.db'),
      namespace: NAMESPACE,
      otherNamespaces: [BACKGROUND_NAMESPACE, EMAIL_SERVICE_NAMESPACE],
      searchAttributes: searchAttributeKeys,
      port: await freePort(),
      uiPort: await freePort(),
      log: log.write,
    });
    closers.add(() => temporal.stop());
    const databases = {
      orchestrator: `file:${inside('sendoff.db')}`,
      emailService: `file:${inside('email-service.db')}`,
    };
    return { temporal, postgres: [], postgresBackends: [], databases, isShared: false, stop: closers.close };
  });
