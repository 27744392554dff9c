import type { Environment } from '../lib/settings.ts';

/** What a command gets from its process. */
export interface CommandContext {
  readonly environment: Environment;
  /** Takes the result. */
  readonly write: (text: string) => void;
  /** Takes progress and messages: stdout belongs to the result. */
  readonly writeMessage: (text: string) => void;
}

export type ResultContext = Omit<CommandContext, 'writeMessage'>;

export const processContext: CommandContext = {
  environment: process.env,
  write: (text) => void process.stdout.write(text),
  writeMessage: (text) => void process.stderr.write(text),
};

/** Ends the program with the exit code of the command. */
export async function exitWith(command: Promise<number>): Promise<void> {
  process.exitCode = await command;
}
