import { type Command, Option } from 'commander';
import { exitWith, processContext } from '../command-context.ts';
import { jsonOption } from '../common-options.ts';
import type { DatabaseProgram } from '../databases/program-databases.ts';
import type { MoveOptions } from './move-to-version.ts';
import type { ReleaseOptions } from './replay.ts';

/** Adds `replay` and `deployment`. */
export function addDeploymentCommands(program: Command): void {
  program
    .command('replay')
    .description(
      'replay the Event History of every open execution on the Workflow code of this release; changes nothing; exits 1 if one would stop',
    )
    .addOption(programOption())
    .addOption(jsonOption())
    .action(async (options: ReleaseOptions) => {
      await silenceRuntime();
      const { replay } = await import('./replay.ts');
      await exitWith(replay(options, processContext));
    });

  const deployment = program.command('deployment').description('the versions of the Workers of a program');
  deployment
    .command('status')
    .description('show which version gets the tasks, and how many open executions each version has')
    .addOption(programOption())
    .addOption(jsonOption())
    .action(async (options: ReleaseOptions) => {
      const { showStatus } = await import('./show-status.ts');
      await exitWith(showStatus(options, processContext));
    });
  for (const [name, description] of [
    ['promote', 'make the version of the settings current'],
    ['rollback', 'the same with the release and the settings of an earlier version'],
  ] as const) {
    deployment
      .command(name)
      .description(
        `${description}: waits until its Workers poll every Task Queue, names the open executions that would stop and then changes nothing, and watches for two minutes whether all continue`,
      )
      .addOption(programOption())
      .option('--force', 'move although open executions would stop on this version')
      .addOption(jsonOption())
      .action(async (options: MoveOptions) => {
        await silenceRuntime();
        const { moveToVersion } = await import('./move-to-version.ts');
        await exitWith(moveToVersion(name, options, processContext));
      });
  }
}

const programOption = (): Option =>
  new Option('--program <program>', 'whose Workers')
    .choices(['orchestrator', 'email-service'] satisfies DatabaseProgram[])
    .default('orchestrator' satisfies DatabaseProgram);

/** A replay that fails is a result, which Core would log besides. */
async function silenceRuntime(): Promise<void> {
  const { createLogger } = await import('../../lib/create-logger.ts');
  const { installTemporalRuntime } = await import('../../lib/temporal/temporal-runtime.ts');
  installTemporalRuntime(createLogger('silent'));
}
