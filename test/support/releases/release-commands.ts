import { moveToVersion } from '../../../src/cli/deployment/move-to-version.ts';
import { replay } from '../../../src/cli/deployment/replay.ts';
import { showStatus } from '../../../src/cli/deployment/show-status.ts';
import { workflowBundleOf } from '../workflow-bundle-of-run.ts';
import { DEPLOYMENT, type ReleaseEnvironment } from './release-environment.ts';

/** The commands of a release, as its image runs them. @param release.settings beside those that every release has */
export function commandsOf(
  { server, databaseUrl }: ReleaseEnvironment,
  {
    buildId,
    path,
    settings,
    report = () => undefined,
  }: {
    buildId: string;
    path: string;
    settings?: Readonly<Record<string, string>>;
    report?: (text: string) => void;
  },
) {
  const run = async (command: (context: Parameters<typeof moveToVersion>[2]) => Promise<number>) => {
    const written: string[] = [];
    const exitCode = await command({
      environment: {
        TEMPORAL_ADDRESS: server.address,
        TEMPORAL_NAMESPACE: server.namespace,
        SENDOFF_DATABASE_URL: databaseUrl,
        SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: server.namespace,
        TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT,
        TEMPORAL_WORKER_BUILD_ID: buildId,
        ...settings,
      },
      write: (text) => void written.push(text),
      writeMessage: report,
      workflowBundle: await workflowBundleOf(path),
      pollersWithinMs: 4_000,
      watchMs: 2_000,
    });
    return { exitCode, written: written.join('') };
  };
  const options = { program: 'orchestrator' as const };
  return {
    promote: (changes: { watchMs?: number } = {}) =>
      run((context) => moveToVersion('promote', options, { ...context, ...changes })),
    rollback: (force = false) =>
      run((context) =>
        moveToVersion('rollback', { ...options, force }, { ...context, ...(force && { watchMs: 60_000 }) }),
      ),
    replay: () => run((context) => replay(options, context)),
    status: async () => {
      const { written } = await run((context) => showStatus({ ...options, json: true }, context));
      return (
        JSON.parse(written) as { namespaces: { versions: { buildId: string; status: string; open: number }[] }[] }
      ).namespaces[0]!.versions;
    },
  };
}
