import { shellWord } from '../shell-word.ts';
import { places } from './bash-script.ts';
import type { CompletedCommand, ValueKind } from './command-tree.ts';

export function zshScript(commands: readonly CompletedCommand[]): string {
  const arms = commands.flatMap(({ place, options }) =>
    options.flatMap(({ flags, value }) =>
      value === undefined
        ? []
        : [`    (${flags.map((flag) => `'${place} ${flag}'`).join('|')}) ${reply(value)}; return ;;`],
    ),
  );
  const lists = commands.map(({ place, options, commands, values }) =>
    [
      `    ('${place}')`,
      `      commands=(${commands.map(({ name, description }) => described(name, description)).join(' ')})`,
      `      options=(${options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description))).join(' ')})`,
      ...(values === undefined ? [] : [`      [[ $PREFIX == -* ]] || { ${reply(values)}; return }`]),
      '      ;;',
    ].join('\n'),
  );
  return `#compdef sendoff
# zsh completion of sendoff. Load it with: source <(sendoff completion zsh)
_sendoff() {
  local place=sendoff i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
      (${places(commands)}) place="$place \${words[i]}" ;;
    esac
  done
  case "$place \${words[CURRENT - 1]}" in
${arms.join('\n')}
  esac
  case "$place" in
${lists.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  else
    _describe command commands
  fi
}
if [[ "\${funcstack[1]}" == _sendoff ]]; then
  _sendoff "$@"
else
  compdef _sendoff sendoff
fi
`;
}

/** A colon separates the word from its description. */
const described = (word: string, description: string): string =>
  shellWord(`${word.replaceAll(':', '\\\\:')}:${description}`);

function reply(value: ValueKind): string {
  if (value === 'text') return ':';
  if (value === 'folder') return '_files -/';
  if (value === 'file') return '_files';
  return `compadd -- ${value.choices.map(shellWord).join(' ')}`;
}
