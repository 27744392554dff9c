import type { Command, Option } from 'commander';

/** Kind of an option's value; `text`: a shell cannot complete it. */
export type ValueKind = 'folder' | 'file' | 'text' | { readonly choices: readonly string[] };

interface CompletedOption {
  /** `--json`; and `-h`, if it has a short form. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for a flag without a value. */
  readonly value: ValueKind | undefined;
}

export interface CompletedCommand {
  /** As typed, with the commands above it: `sendoff notifications list`. */
  readonly place: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** Kind of the positional arguments' values. */
  readonly values: ValueKind | undefined;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
}

/** The visible commands of a program with their options, the program itself first. */
export function commandTree(command: Command, above = ''): CompletedCommand[] {
  const place = `${above}${command.name()}`;
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const found: CompletedCommand = {
    place,
    description: command.description(),
    options: help.visibleOptions(command).map(completedOption),
    values: command.registeredArguments
      .map((argument) => valueKind(argument.name(), argument.argChoices))
      .find((kind) => kind !== 'text'),
    commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
  };
  return [found, ...commands.flatMap((child) => commandTree(child, `${place} `))];
}

function completedOption(option: Option): CompletedOption {
  const takesValue = option.required || option.optional;
  const [, placeholder = ''] = /[<[]([^\].>]*)/.exec(option.flags) ?? [];
  return {
    flags: [option.long, option.short].filter((flag) => flag !== undefined),
    description: option.description,
    value: takesValue ? valueKind(placeholder, option.argChoices) : undefined,
  };
}

/** Placeholders say what a value is: `--data <dir>`, `--file <file>`, `measure <files...>`. */
function valueKind(placeholder: string, choices: readonly string[] | undefined): ValueKind {
  if (choices !== undefined) return { choices };
  if (placeholder === 'dir') return 'folder';
  return placeholder === 'file' || placeholder === 'files' ? 'file' : 'text';
}
