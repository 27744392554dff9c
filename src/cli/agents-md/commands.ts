import { type Command, Option } from 'commander';
import { codeHosts } from '../../agents-md/code-hosts.ts';
import type { CheckOptions, SubjectOptions } from './run-check.ts';
import type { CatalogueOptions } from './check-catalogue.ts';
import type { ProducerFilterOptions } from './manage-producers.ts';
import { Outcome, reasons } from '../../agents-md/reasons.ts';
import { exitWith, processContext } from '../command-context.ts';
import { DATA_DEFAULT, type LocalOptions } from '../common-options.ts';
import { agentsMdExitCodes } from '../exit-codes.ts';

/** Adds `agents-md` and all of its commands. */
export function addAgentsMdCommands(program: Command): void {
  const group = program
    .command('agents-md')
    .description('check the AGENTS.md files of API producers')
    .addHelpText('after', `\n${EXIT_CODES}`);
  addCheck(group);
  addCatalogueCommands(group);
  addLocalCommands(group);
}

function addCheck(group: Command): void {
  const others = ['org', 'repo', 'host', 'producer'];
  subjectOptions(group.command('check'))
    .description('check one producer, or producers of the catalogue, and wait for the result')
    .option('--producer <id>', 'ID of the producer (default: derived from host, organization and repository)')
    .addOption(
      new Option('--all', 'check every producer of the catalogue that is not paused').conflicts([...others, 'label']),
    )
    .addOption(new Option('--label <label>', 'check the producers of the catalogue with this label').conflicts(others))
    .addOption(
      new Option('--asked-at <time>', 'follow checks of the catalogue that were asked for before').conflicts([
        ...others,
        ...['all', 'label'],
      ]),
    )
    .addOption(jsonOption())
    .addOption(dataOption())
    .addHelpText('after', `\n${EXIT_CODES}\nWith --all and --label: the highest code of all producers.`)
    .action(async ({ all, ...options }: CheckOptions & CatalogueOptions & { all?: true }) => {
      const { untilInterrupted } = await import('../until-interrupted.ts');
      const running = { ...processContext, interrupted: untilInterrupted() };
      if (all === undefined && options.label === undefined && options.askedAt === undefined) {
        const { runCheck } = await import('./run-check.ts');
        await exitWith(runCheck(options, running));
      } else {
        const { checkCatalogue } = await import('./check-catalogue.ts');
        await exitWith(checkCatalogue(options, { ...running, progress: process.stderr, now: Date.now }));
      }
    });
}

function addCatalogueCommands(group: Command): void {
  const load = () => import('./manage-producers.ts');
  const producers = group.command('producers').description('the producers of the catalogue');
  const add = (name: string, description: string, to = producers): Command =>
    to.command(name).description(description).addOption(jsonOption()).addOption(dataOption());

  filterOptions(add('list', 'list the producers that meet every given condition')).action(
    async (options: LocalOptions & ProducerFilterOptions) =>
      exitWith((await load()).listProducers(options, processContext)),
  );
  subjectOptions(add('add <producer>', 'add a producer, or change it; its first check starts at once'))
    .option('--every <duration>', 'interval from 1 hour to 365 days, such as 36h (default: 7d)')
    .option('--label <label...>', 'labels, for lists and reports')
    .action(async (producer: string, options: LocalOptions & SubjectOptions & { every?: string; label?: string[] }) =>
      exitWith((await load()).addProducer(producer, options, processContext)),
    );
  add('remove <producer>', 'remove a producer and its results').action(
    async (producer: string, options: LocalOptions) =>
      exitWith((await load()).removeProducer(producer, options, processContext)),
  );
  for (const [name, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    add(`${name} <producer>`, `${name} the checks of a producer`).action(
      async (producer: string, options: LocalOptions) =>
        exitWith((await load()).setPaused(producer, paused, options, processContext)),
    );
  }
  add('import <file>', 'add and change the producers of a file: one JSON object per line; - for stdin')
    .option('--dry-run', 'show the changes and make none')
    .option('--remove-missing', 'remove the producers that the file does not name')
    .action(async (file: string, options: LocalOptions & { dryRun?: boolean; removeMissing?: boolean }) =>
      exitWith((await load()).importProducers(file, options, { ...processContext, stdin: process.stdin })),
    );
  filterOptions(group.command('report'))
    .description('print the report of the catalogue, each producer with its fix')
    .addOption(new Option('--format <format>', 'form of the report').choices(FORMATS).default('text'))
    .addOption(dataOption())
    .action(async (options: ProducerFilterOptions & { data: string; format: (typeof FORMATS)[number] }) =>
      exitWith((await load()).printReport(options, processContext)),
    );
  add(
    'show <producer>',
    'show the latest result of a producer, and a running check; exits with the code of the result',
    group,
  ).action(async (producer: string, options: LocalOptions) =>
    exitWith((await load()).showLatest(producer, options, processContext)),
  );
}

/** Commands that need no running deployment. */
function addLocalCommands(group: Command): void {
  group
    .command('measure <files...>')
    .description('measure local files, and every AGENTS.md of a folder, as the check does; - for stdin')
    .addOption(new Option('--format <format>', 'form of the result').choices(MEASURE_FORMATS).default('text'))
    .addHelpText(
      'after',
      `\n${EXIT_CODES}\nWith several files: the highest code of all files; 4 for a file that cannot be measured.`,
    )
    .action(async (files: string[], { format }: { format: (typeof MEASURE_FORMATS)[number] }) => {
      const { measureFiles } = await import('./measure-files.ts');
      await exitWith(measureFiles(files, { ...processContext, format, stdin: process.stdin }));
    });
  group
    .command('template')
    .description('print an AGENTS.md to fill in')
    .action(async () => {
      processContext.write((await import('./template.ts')).TEMPLATE);
    });
  group
    .command('demo')
    .description('start a local deployment with a local code host, check six producers, and stop')
    .addOption(jsonOption())
    .option('--keep', 'keep it running until Ctrl-C')
    .action(async ({ json = false, keep = false }: { json?: boolean; keep?: boolean }) => {
      const { runAgentsMdDemo } = await import('./run-demo.ts');
      await exitWith(runAgentsMdDemo({ json, keep }, processContext.environment));
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

const MEASURE_FORMATS = ['text', 'json', 'sarif'] as const;
const FORMATS = ['text', 'json', 'csv', 'markdown', 'html'] as const;

const jsonOption = (): Option => new Option('--json', 'print the result as one JSON object on the last line of stdout');

const dataOption = (): Option => new Option('--data <dir>', 'folder of the local deployment').default(DATA_DEFAULT);

function subjectOptions(command: Command): Command {
  return command
    .option('--org <name>', 'public organization of the producer')
    .option('--repo <name>', 'primary repository (default: selected by name, then by stars)')
    .option('--host <name>', `code host: ${Object.keys(codeHosts).join(', ')} (default: github.com)`);
}

function filterOptions(command: Command): Command {
  return command
    .addOption(new Option('--outcome <outcome>', 'latest outcome').choices([...Object.values(Outcome), 'unchecked']))
    .addOption(new Option('--reason <code>', 'latest reason').choices(Object.keys(reasons)))
    .option('--label <label>', 'producers with this label')
    .option('--changed-since <time>', 'producers whose outcome has changed since then, such as 2026-11-01T00:00:00Z');
}
