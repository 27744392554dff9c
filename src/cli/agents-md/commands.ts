import { type Command, Option } from 'commander';
import { codeHosts } from '../../agents-md/code-hosts.ts';
import type { CheckOptions, SubjectOptions } from './run-check.ts';
import type { OutputOptions } from './manage-schedules.ts';
import { CommandError } from '../command-error.ts';
import { agentsMdExitCodes } from '../exit-codes.ts';

export interface AgentsMdContext {
  readonly environment: NodeJS.ProcessEnv;
  /** The folder of the local deployment, unless --data names one. */
  readonly dataDefault: string;
  /** Ends the program with the exit code of the command. */
  readonly exitWith: (command: Promise<number>) => Promise<void>;
  /** Resolves with the exit code. */
  readonly runDemo: (options: { json: boolean; keep: boolean }) => Promise<number>;
}

/** Adds `agents-md` and all of its commands. */
export function addAgentsMdCommands(program: Command, context: AgentsMdContext): void {
  const group = program
    .command('agents-md')
    .description('check the AGENTS.md files of API producers')
    .addHelpText('after', `\n${EXIT_CODES}`);
  addCheck(group, context);
  addScheduleCommands(group, context);
  addLocalCommands(group, context);
}

function addCheck(group: Command, { environment, dataDefault, exitWith }: AgentsMdContext): void {
  subjectOptions(group.command('check'))
    .description('check one producer, or every producer in a file, and wait for the result')
    .option('--producer <id>', 'ID of the producer (default: derived from host, organization and repository)')
    .addOption(
      new Option(
        '--file <file>',
        'check every producer in this file: one JSON object per line, with producerId, organization, …; - for stdin',
      ).conflicts(['org', 'repo', 'host', 'producer']),
    )
    .option('--batch <id>', 'with --file: ID of the batch (default: the same for the same list on the same day, UTC)')
    .option(
      '--json',
      'print the result as one JSON object on the last line of stdout; with --file, one line per producer',
    )
    .addOption(dataOption(dataDefault))
    .addHelpText('after', `\n${EXIT_CODES}\nWith --file: the highest code of all producers.`)
    .action(async ({ file, batch, ...options }: CheckOptions & { file?: string; batch?: string }) => {
      const { untilInterrupted } = await import('../until-interrupted.ts');
      const running = {
        environment,
        stdin: process.stdin,
        write,
        writeMessage: (text: string) => void process.stderr.write(text),
        interrupted: untilInterrupted(),
      };
      if (file === undefined) {
        if (batch !== undefined) throw new CommandError('--batch requires --file');
        const { runCheck } = await import('./run-check.ts');
        await exitWith(runCheck(options, running));
      } else {
        const { runBatch } = await import('./run-batch.ts');
        const batchOptions = { ...options, file, ...(batch === undefined ? {} : { batch }) };
        await exitWith(runBatch(batchOptions, { ...running, progress: process.stderr, now: Date.now }));
      }
    });
}

function addScheduleCommands(group: Command, context: AgentsMdContext): void {
  const { environment, dataDefault, exitWith } = context;
  const resulting = { environment, write };
  const add = (name: string, description: string): Command =>
    group.command(name).description(description).addOption(jsonOption()).addOption(dataOption(dataDefault));
  const load = () => import('./manage-schedules.ts');

  subjectOptions(add('schedule <producer>', 'check a producer regularly; the first check starts at once'), true)
    .requiredOption('--every <duration>', 'interval, such as 7d or 36h: from 1 hour to 365 days')
    .action(async (producer: string, options: OutputOptions & SubjectOptions & { every: string }) =>
      exitWith((await load()).scheduleChecks(producer, options, resulting)),
    );
  add('list', 'list every producer that has a Schedule').action(async (options: OutputOptions) =>
    exitWith((await load()).listSchedules(options, resulting)),
  );
  for (const [action, description] of [
    ['pause', "pause a producer's Schedule"],
    ['resume', "resume a producer's Schedule"],
    ['trigger', 'start a scheduled check now'],
  ] as const) {
    const command = add(`${action} <producer>`, description);
    if (action === 'pause') command.option('--note <text>', 'the reason, shown with the Schedule');
    command.action(async (producer: string, options: OutputOptions & { note?: string }) =>
      exitWith((await load()).changeSchedule(action, producer, options, resulting)),
    );
  }
  add('delete <producer>', "delete a producer's Schedule; its latest result stays").action(
    async (producer: string, options: OutputOptions) =>
      exitWith((await load()).deleteSchedule(producer, options, resulting)),
  );
  add(
    'show <producer>',
    'show the latest result of a producer, and a running check; exits with the code of the result',
  ).action(async (producer: string, options: OutputOptions) =>
    exitWith((await load()).showProducer(producer, options, resulting)),
  );
}

/** Commands that need no running deployment. */
function addLocalCommands(group: Command, { exitWith, runDemo }: AgentsMdContext): void {
  group
    .command('measure <files...>')
    .description('measure local files as the check does; - for stdin')
    .option('--json', 'print one JSON object per file, each on its own line')
    .addHelpText(
      'after',
      `\n${EXIT_CODES}\nWith several files: the highest code of all files; 4 for a file that cannot be measured.`,
    )
    .action(async (files: string[], options: { json?: boolean }) => {
      const { measureFiles } = await import('./measure-files.ts');
      const writeMessage = (text: string) => void process.stderr.write(text);
      await exitWith(measureFiles(files, { ...options, stdin: process.stdin, write, writeMessage }));
    });
  group
    .command('demo')
    .description('start a local deployment with a local code host, check six producers, and stop')
    .addOption(jsonOption())
    .option('--keep', 'keep it running until Ctrl-C')
    .action(async ({ json = false, keep = false }: { json?: boolean; keep?: boolean }) => {
      await exitWith(runDemo({ json, keep }));
    });
}

const EXIT_CODES = [
  'Exit codes:',
  ...(
    [
      ['pass', 'pass: the file exists and has real content'],
      ['partial', 'partial: the file exists and is a stub'],
      ['fail', 'fail: the file does not exist, or no organization is known'],
      ['inconclusive', 'inconclusive: the code host gave no usable answer; this is not a failure'],
      ['notCarriedOut', 'the command failed'],
    ] as const
  ).map(([end, meaning]) => `  ${String(agentsMdExitCodes[end]).padEnd(3)} ${meaning}`),
  'Commands without an outcome exit with 0 or 4.',
].join('\n');

const write = (text: string): void => void process.stdout.write(text);

const jsonOption = (): Option => new Option('--json', 'print the result as one JSON object on the last line of stdout');

const dataOption = (byDefault: string): Option =>
  new Option('--data <dir>', 'folder of the local deployment').default(byDefault);

function subjectOptions(command: Command, isRequired = false): Command {
  const organization = new Option('--org <name>', 'public organization of the producer');
  return command
    .addOption(isRequired ? organization.makeOptionMandatory() : organization)
    .option('--repo <name>', 'primary repository (default: selected by name, then by stars)')
    .option('--host <name>', `code host: ${Object.keys(codeHosts).join(', ')} (default: github.com)`);
}
