import { type Command, Option } from 'commander';
import { codeHosts } from '../../agents-md/code-hosts.ts';
import type { CheckOptions, SubjectOptions } from './run-check.ts';
import type { OutputOptions } from './manage-schedules.ts';
import { CommandError } from '../command-error.ts';
import { agentsMdExitCodes } from '../exit-codes.ts';

export interface AgentsMdContext {
  readonly environment: NodeJS.ProcessEnv;
  /** Of a set-up on this machine, when none is named. */
  readonly dataDefault: string;
  /** Ends the program with the code that the command resolves with. */
  readonly exitWith: (command: Promise<number>) => Promise<void>;
  /** Plays the demo; resolves with the exit code. */
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
    .description('check one producer, or every producer of a file, and follow it to its end')
    .option('--producer <id>', 'the id it is kept under (default: made of host, organization and repository)')
    .addOption(
      new Option(
        '--file <file>',
        'check them all: one JSON object a line, with producerId, organization, …; - for stdin',
      ).conflicts(['org', 'repo', 'host', 'producer']),
    )
    .option('--batch <id>', 'with --file: go on with this batch (default: that of the same list on the same day, UTC)')
    .option(
      '--json',
      'the result as one JSON object on the last line of stdout; with --file one line for each producer',
    )
    .addOption(dataOption(dataDefault))
    .addHelpText('after', `\n${EXIT_CODES}\nWith --file: the highest code of its producers.`)
    .action(async ({ file, batch, ...options }: CheckOptions & { file?: string; batch?: string }) => {
      const { untilInterrupted } = await import('../until-interrupted.ts');
      const running = {
        environment,
        stdin: process.stdin,
        write,
        tell: (text: string) => void process.stderr.write(text),
        interrupted: untilInterrupted(),
      };
      if (file === undefined) {
        if (batch !== undefined) throw new CommandError('--batch names the batch of a list: give it with --file');
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

  subjectOptions(add('schedule <producer>', 'check a producer again and again; a first time at once'), true)
    .requiredOption('--every <duration>', 'how often, such as 7d, 36h: from an hour to 365 days')
    .action(async (producer: string, options: OutputOptions & SubjectOptions & { every: string }) =>
      exitWith((await load()).scheduleChecks(producer, options, resulting)),
    );
  add('list', 'every producer that is checked again and again').action(async (options: OutputOptions) =>
    exitWith((await load()).listSchedules(options, resulting)),
  );
  for (const [action, description] of [
    ['pause', "let a producer's Schedule rest"],
    ['resume', 'let it go on'],
    ['trigger', 'start one of its checks now'],
  ] as const) {
    const command = add(`${action} <producer>`, description);
    if (action === 'pause') command.option('--note <text>', 'why, for whoever finds it paused');
    command.action(async (producer: string, options: OutputOptions & { note?: string }) =>
      exitWith((await load()).changeSchedule(action, producer, options, resulting)),
    );
  }
  add('delete <producer>', 'end its Schedule; what was found is kept').action(
    async (producer: string, options: OutputOptions) =>
      exitWith((await load()).deleteSchedule(producer, options, resulting)),
  );
  add('show <producer>', 'what is known of a producer; ends with the code of its latest result').action(
    async (producer: string, options: OutputOptions) =>
      exitWith((await load()).showProducer(producer, options, resulting)),
  );
}

/** Those that need no set-up that runs. */
function addLocalCommands(group: Command, { exitWith, runDemo }: AgentsMdContext): void {
  group
    .command('measure <files...>')
    .description('measure files of this machine as the check would; - for stdin')
    .option('--json', 'one JSON object for each file, each on a line of its own')
    .addHelpText(
      'after',
      `\n${EXIT_CODES}\nWith several files: the highest code of them; one that cannot be measured is 4.`,
    )
    .action(async (files: string[], options: { json?: boolean }) => {
      const { measureFiles } = await import('./measure-files.ts');
      const tell = (text: string) => void process.stderr.write(text);
      await exitWith(measureFiles(files, { ...options, stdin: process.stdin, write, tell }));
    });
  group
    .command('demo')
    .description('start everything on this machine with a code host of its own, check a handful of producers, and end')
    .addOption(jsonOption())
    .option('--keep', 'leave it running at the end, until Ctrl-C')
    .action(async ({ json = false, keep = false }: { json?: boolean; keep?: boolean }) => {
      await exitWith(runDemo({ json, keep }));
    });
}

const EXIT_CODES = [
  'Exit codes:',
  ...(
    [
      ['pass', 'pass: the file is there and has real content'],
      ['partial', 'partial: the file is there and is a stub'],
      ['fail', 'fail: there is none, or no organization is known'],
      ['inconclusive', 'inconclusive: the host could not be asked, which is not a no'],
      ['notCarriedOut', 'the command could not be carried out'],
    ] as const
  ).map(([end, meaning]) => `  ${String(agentsMdExitCodes[end]).padEnd(3)} ${meaning}`),
  'Commands without an outcome end with 0 or 4.',
].join('\n');

const write = (text: string): void => void process.stdout.write(text);

const jsonOption = (): Option => new Option('--json', 'the result as one JSON object on the last line of stdout');

const dataOption = (byDefault: string): Option =>
  new Option('--data <dir>', 'the folder of the set-up on this machine').default(byDefault);

function subjectOptions(command: Command, isRequired = false): Command {
  const organization = new Option('--org <name>', "the producer's public organization");
  return command
    .addOption(isRequired ? organization.makeOptionMandatory() : organization)
    .option('--repo <name>', 'its primary repository (default: the host is asked which one it is)')
    .option('--host <name>', `where: ${Object.keys(codeHosts).join(', ')} (default: github.com)`);
}
