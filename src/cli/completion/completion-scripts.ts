// At each Tab the shell asks `sendoff __complete` what to offer.

/** For bash 4 and later; bash 3.2 completes no files. */
const bash = `# bash completion of sendoff. Load it with: source <(sendoff completion bash)
_sendoff() {
  local IFS=$'\\n' offer
  offer=$(sendoff __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  case "$offer" in
    :files) compopt -o default ;;
    :folders) compopt -o dirnames ;;
    *) COMPREPLY=($(cut -f 1 <<<"$offer")) ;;
  esac
}
complete -F _sendoff sendoff
`;

const zsh = `#compdef sendoff
# zsh completion of sendoff. Load it with: source <(sendoff completion zsh)
_sendoff() {
  local -a offer
  offer=("\${(@f)$(sendoff __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case "$offer" in
    (:files) _files ;;
    (:folders) _files -/ ;;
    (?*) offer=("\${(@)offer/$'\\t'/:}"); _describe sendoff offer ;;
  esac
}
if [[ "\${funcstack[1]}" == _sendoff ]]; then
  _sendoff "$@"
else
  compdef _sendoff sendoff
fi
`;

const fish = `# fish completion of sendoff. Load it with: sendoff completion fish | source
function __sendoff_offer
    set -l words (commandline -opc)
    set -l offer (sendoff __complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    switch "$offer"
        case :files
            __fish_complete_path (commandline -ct)
        case :folders
            __fish_complete_directories
        case '*'
            printf '%s\\n' $offer
    end
end
complete -c sendoff -f -a '(__sendoff_offer)'
`;

export const completionScripts = { bash, zsh, fish } as const;
