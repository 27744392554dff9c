import { shellWord } from '../shell-word.ts';
import type { CompletedCommand, ValueKind } from './command-tree.ts';

/** For bash 4 and later; bash 3.2 completes no files. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const arms = commands.flatMap(({ place, options }) =>
    options.flatMap(({ flags, value }) =>
      value === undefined
        ? []
        : [`    ${flags.map((flag) => `'${place} ${flag}'`).join('|')}) ${reply(value)}; return ;;`],
    ),
  );
  const words = commands.map(({ place, options, commands, values }) => {
    const all = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)].join(' ');
    const files = values === undefined ? '' : `; [[ $current == -* ]] || { ${reply(values)}; return; }`;
    return `    '${place}') words=${shellWord(all)}${files} ;;`;
  });
  return `# bash completion of sendoff. Load it with: source <(sendoff completion bash)
_sendoff() {
  local current=\${COMP_WORDS[COMP_CWORD]} place=sendoff words i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
      ${places(commands)}) place="$place \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place \${COMP_WORDS[COMP_CWORD - 1]}" in
${arms.join('\n')}
  esac
  case "$place" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _sendoff sendoff
`;
}

/** Every command but the program itself, as a pattern. */
export const places = (commands: readonly CompletedCommand[]): string =>
  commands
    .slice(1)
    .map(({ place }) => `'${place}'`)
    .join('|');

function reply(value: ValueKind): string {
  if (value === 'text') return ':';
  if (value === 'folder') return 'compopt -o dirnames';
  if (value === 'file') return 'compopt -o default';
  return `COMPREPLY=($(compgen -W ${shellWord(value.choices.join(' '))} -- "$current"))`;
}
