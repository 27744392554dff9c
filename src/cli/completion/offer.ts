import type { Command, Option } from 'commander';

/**
 * What a shell offers for the last of these words, which follow the program's name. Asks no deployment, so it knows no tenants.
 *
 * @returns words, some with a description after a tab; or `:files` or `:folders` alone, which the shell knows; or nothing
 */
export function offerFor(program: Command, words: readonly string[]): readonly string[] {
  const current = words.at(-1) ?? '';
  const typed = words.slice(0, -1);
  const command = typed.reduce((at, word) => commandsOf(at).find((child) => child.name() === word) ?? at, program);
  const options = command.createHelp().visibleOptions(command);
  const valued = options.find(
    (option) => (option.required || option.optional) && flagsOf(option).includes(typed.at(-1) ?? ''),
  );
  const [, placeholder = ''] = /[<[]([^\].>]*)/.exec(valued?.flags ?? '') ?? [];
  const positional = command.registeredArguments.map((argument) => valuesOf(argument.name(), argument.argChoices));
  const argument = current.startsWith('-') ? undefined : positional.find((values) => values.length > 0);
  const named = [
    ...commandsOf(command).map((child) => `${child.name()}\t${child.description()}`),
    ...options.flatMap((option) => flagsOf(option).map((flag) => `${flag}\t${option.description}`)),
  ];
  const offered = valued === undefined ? (argument ?? named) : valuesOf(placeholder, valued.argChoices);
  return offered.filter((word) => word.startsWith(':') || word.startsWith(current));
}

const commandsOf = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');

const flagsOf = ({ long, short }: Option): string[] => [long, short].filter((flag) => flag !== undefined);

/** Placeholders say what a value is: `--data <dir>`, `--file <file>`, `measure <files...>`. */
function valuesOf(placeholder: string, choices: readonly string[] | undefined): readonly string[] {
  if (choices !== undefined) return choices;
  if (placeholder === 'dir') return [':folders'];
  return placeholder === 'file' || placeholder === 'files' ? [':files'] : [];
}
