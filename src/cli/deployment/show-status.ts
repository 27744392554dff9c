import { describeWorkerDeployment, type WorkerDeployment } from '../../lib/temporal/worker-deployments.ts';
import { readSome, sharedSettings } from '../../lib/settings.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import { textTable } from '../text-table.ts';
import type { ReleaseOptions } from './replay.ts';
import { type ReleaseContext, type ReleasePlace, withPlaces } from './released-program.ts';

/** Which version gets the tasks in each Namespace of the program, and how many open executions each version has. */
export async function showStatus({ program, json }: ReleaseOptions, context: ReleaseContext): Promise<number> {
  const settings = readSome(sharedSettings, ['TEMPORAL_DEPLOYMENT_NAME'], context.environment);
  const { TEMPORAL_DEPLOYMENT_NAME: deploymentName } = settings;
  if (deploymentName === undefined)
    throw new CommandError('TEMPORAL_DEPLOYMENT_NAME is not set. Run this command with the settings of the Workers');
  const namespaces = await withPlaces(program, context.environment, (places) =>
    Promise.all(places.map((place) => statusIn(place, deploymentName))),
  );
  if (json === true) context.write(`${JSON.stringify({ deploymentName, namespaces })}\n`);
  else {
    const rows = namespaces.flatMap(({ namespace, versions }) =>
      versions.map(({ buildId, status, open }) => [namespace, buildId, status, String(open)]),
    );
    const none = namespaces.flatMap(({ namespace, versions }) =>
      versions.length === 0 ? [`${namespace}: no Worker of ${deploymentName} has polled`] : [],
    );
    const table = rows.length === 0 ? [] : [textTable([['namespace', 'build', 'status', 'open executions'], ...rows])];
    context.write(`${[...table, ...none].join('\n')}\n`);
  }
  return ExitCode.done;
}

async function statusIn({ client }: ReleasePlace, deploymentName: string) {
  const deployment = await describeWorkerDeployment(client, deploymentName);
  const versions = await Promise.all(
    (deployment?.versions ?? []).map(async (version: WorkerDeployment['versions'][number]) => {
      const name = `${deploymentName}:${version.buildId}`.replaceAll('"', '\\"');
      const query = `TemporalWorkerDeploymentVersion = "${name}" AND ExecutionStatus = "Running"`;
      return { ...version, open: (await client.workflow.count(query)).count };
    }),
  );
  return { namespace: client.options.namespace, current: deployment?.current ?? null, versions };
}
