import type { Command } from 'commander';
import { bashScript } from './bash-script.ts';
import { commandTree } from './command-tree.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export type Shell = keyof typeof scripts;

/** A script that completes the commands and options of `program`. It asks no deployment, so it knows no tenants. */
export const completionScript = (program: Command, shell: Shell): string => scripts[shell](commandTree(program));
