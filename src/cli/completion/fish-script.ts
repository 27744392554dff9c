import type { CompletedCommand, ValueKind } from './command-tree.ts';

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ place, options, commands, values }) => {
    const here = `complete -c sendoff -n ${quoted(`__sendoff_at ${quoted(place)}`)}`;
    return [
      ...commands.map(({ name, description }) => `${here} -a ${quoted(name)} -d ${quoted(description)}`),
      ...options.map(
        ({ flags, description, value }) =>
          `${here} ${flags.map(flagOf).join(' ')}${value === undefined ? '' : ` ${valueOf(value)}`} -d ${quoted(description)}`,
      ),
      ...(values === undefined ? [] : [`${here} ${valueOf(values)}`]),
    ];
  });
  return `# fish completion of sendoff. Load it with: sendoff completion fish | source
function __sendoff_at
    set -l place sendoff
    set -l words (commandline -opc)
    for word in $words[2..-1]
        switch "$place $word"
            case ${commands
              .slice(1)
              .map(({ place }) => quoted(place))
              .join(' ')}
                set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end
complete -c sendoff -f
${lines.join('\n')}
`;
}

const flagOf = (flag: string): string => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`);

function valueOf(value: ValueKind): string {
  if (value === 'text') return '-x';
  if (value === 'folder') return "-x -a '(__fish_complete_directories)'";
  return value === 'file' ? '-r -F' : `-x -a ${quoted(value.choices.join(' '))}`;
}

/** In single quotes, fish knows two escapes. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
