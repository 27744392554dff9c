import { type Command, Option } from 'commander';
import { createInterface } from 'node:readline/promises';
import { providerNames } from '../../onboarding/provider-name.ts';
import { exitWith, processContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { jsonOption } from '../common-options.ts';
import type { ConformanceOptions } from './run-conformance.ts';

async function askUser(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CommandError('There is no terminal to ask: add --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}

export function addConformanceCommand(program: Command): void {
  program
    .command('conformance')
    .description(
      "show what is proven of each provider's adapter: the same cases at the embedded email service and at simulated providers",
    )
    .addOption(new Option('--provider <name>', 'this one only').choices(['sendoff', ...providerNames]))
    .option('--live', 'against your account, with the settings of the provider (docs/settings.md)')
    .option('--domain <name>', 'of a live run: a domain of yours, below which it creates domains')
    .option('--yes', 'do not ask before a live run')
    .option('--cleanup', 'delete what a live run that died has left, and run nothing')
    .option('--documents <dir>', "hold the providers' official documents in this folder against every exchange")
    .option('--record <file>', 'write what the exchanges looked like, without anything of your account, into this file')
    .option('--replay <file>', "hold such a file against the provider's simulation and, with --documents, its document")
    .option('--write <page>', 'write the table of results into this Markdown page, between its markers')
    .addOption(jsonOption())
    .action(async (options: ConformanceOptions) => {
      const { runConformance } = await import('./run-conformance.ts');
      await exitWith(
        runConformance(options, {
          ...processContext,
          ask: askUser,
          report: (line) => {
            processContext.writeMessage(`${line}\n`);
          },
        }),
      );
    });
}
